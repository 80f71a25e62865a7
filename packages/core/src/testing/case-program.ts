import { createRandom } from '../index.ts';
import {
  createProgram,
  type Dim,
  type NumericTensors,
  numeric,
  type Program,
  type Shape,
  type Tensor,
  type TensorOf,
} from '../tensor/index.ts';
import type { OpCase } from './op-cases/op-case.ts';

/** The dimensions that tests give to names. */
const dimensions: Readonly<Record<string, number>> = { n: 5, m: 4, g: 2, c: 3, w: 2 };

const dimensionOf = (dim: Dim): number => (typeof dim === 'number' ? dim : dimensions[dim]!);

/** The inputs that some tensors need, in the order in which they are met. */
export function inputsOf(outputs: readonly Tensor[]): TensorOf<'input'>[] {
  const found = new Map<string, TensorOf<'input'>>();
  const visit = (tensor: Tensor): void => {
    if (tensor.op === 'input') found.set(tensor.attributes.name, tensor);
    tensor.inputs.forEach(visit);
  };
  outputs.forEach(visit);
  return [...found.values()];
}

/** A case as a program. */
export function caseProgram(name: string, { outputs }: OpCase): Program {
  const inputs = inputsOf(Object.values(outputs));
  return createProgram({ name, description: `A test of ${name}.`, inputs, outputs });
}

/** Random numbers for everything that a program is given, the same for the same seed. */
export function randomValues(
  program: Program,
  seed: string,
  { below = {}, fixed = {}, positive }: Omit<OpCase, 'outputs'> = {},
): NumericTensors {
  const random = createRandom('onnx', seed);
  const draw = (name: string, node: TensorOf<'input' | 'parameter'>): number => {
    if (node.dtype === 'int') return random.below(below[name] ?? 4);
    if (node.dtype === 'bool') return random.below(2);
    if (node.dtype === 'uint8') return random.below(128);
    if (node.dtype === 'int8') return random.below(255) - 127;
    // float32 numbers, so that float64 and float32 begin with the same ones.
    return Math.fround(positive ? 0.01 + 2 * random.uniform() : random.normal());
  };
  return Object.fromEntries(
    [...program.inputs, ...program.parameters].map((node) => {
      const { name } = node.attributes;
      const shape = sizes(node.shape);
      const count = shape.reduce((product, dimension) => product * dimension, 1);
      return [name, numeric(shape, fixed[name] ?? Array.from({ length: count }, () => draw(name, node)))];
    }),
  );
}

const sizes = (shape: Shape): number[] => shape.map(dimensionOf);
