import { broadcastShapes, type Shape } from './shape.ts';
import type { Tensor } from './tensor.ts';

/**
 * The inputs of an element-wise node without a `broadcastLike` that its own broadcasting makes superfluous: gradients are
 * full of them, and each would be a copy of the whole result.
 *
 * `through` gives what stands behind nodes that a runtime passes over.
 */
export function withoutBroadcasts(
  node: Tensor,
  through: (input: Tensor) => Tensor = (input) => input,
): readonly Tensor[] {
  const inputs = [...node.inputs];
  for (const [i, given] of inputs.entries()) {
    const input = through(given);
    if (input.op !== 'broadcastLike') continue;
    const source = input.inputs[0]!;
    const shape = inputs
      .map((other, j): Shape => (i === j ? source.shape : other.shape))
      .reduce(broadcastShapes);
    if (shape.length === node.shape.length && shape.every((dim, axis) => dim === node.shape[axis]))
      inputs[i] = source;
  }
  return inputs;
}
