import { FuzzError } from '../errors.ts';
import { createDimensions, type Dimensions } from './dimensions.ts';
import type { NumericTensor } from './numeric.ts';
import type { Binding } from './operation.ts';
import { operations } from './ops/index.ts';
import type { Program } from './program.ts';
import type { Shape } from './shape.ts';
import type { OpName, Tensor, TensorOf } from './tensor.ts';

/** Numbers by name. */
export type NumericTensors = Readonly<Record<string, NumericTensor>>;

/**
 * Runs a program in float64: the judge that every runtime is compared with.
 *
 * `values` holds the inputs and the parameters by name.
 *
 * @throws FuzzError `shape`: a value that is missing or does not have the declared shape, `range`: an index outside
 *   its table.
 * @example
 * const values = { x: numeric([1, 2], [1, 2]), w: numeric([2, 3], [1, 0, 0, 0, 1, 0]) };
 * const results = evaluate(program, values);
 */
export function evaluate(program: Program, values: NumericTensors): Record<string, NumericTensor> {
  const dimensions = createDimensions();
  const results = new Map<Tensor, NumericTensor>();
  // A result is let go after its last use: all of them together would be many times what is needed at once.
  const uses = new Map<Tensor, number>();
  const count = (tensor: Tensor, by: number): number => {
    const left = (uses.get(tensor) ?? 0) + by;
    uses.set(tensor, left);
    return left;
  };
  for (const { inputs } of program.nodes) for (const each of inputs) count(each, 1);
  for (const { tensor } of program.outputs) count(tensor, 1);
  for (const node of program.nodes) {
    const result =
      node.op === 'input' || node.op === 'parameter'
        ? given(node.attributes.name, node.shape, values, dimensions)
        : evaluateNode(
            node,
            node.inputs.map((input) => results.get(input)!),
            dimensions,
          );
    results.set(node, result);
    for (const each of node.inputs) if (count(each, -1) === 0) results.delete(each);
  }
  return Object.fromEntries(program.outputs.map(({ name, tensor }) => [name, results.get(tensor)!]));
}

/** What one node gives in float64, from what its inputs gave. Throws: as `evaluate`. */
export function evaluateNode<K extends OpName>(
  node: TensorOf<K>,
  inputs: readonly NumericTensor[],
  binding: Binding,
): NumericTensor {
  const result = operations[node.op].evaluate(node.attributes, inputs, binding);
  return node.op === 'constant' ? { ...result, shape: node.shape as readonly number[] } : result;
}

function given(name: string, shape: Shape, values: NumericTensors, dimensions: Dimensions): NumericTensor {
  const value = values[name];
  if (value === undefined) throw new FuzzError('shape', `no value for "${name}"`);
  dimensions.bind(name, shape, value.shape);
  return value;
}
