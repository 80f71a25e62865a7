import { FuzzError } from '../errors.ts';
import type { NumericTensor } from './numeric.ts';
import type { Binding } from './operation.ts';
import { operations } from './ops/index.ts';
import type { Program } from './program.ts';
import { formatShape, type Shape } from './shape.ts';
import type { OpName, Tensor, TensorOf } from './tensor.ts';

/** Numbers by name. */
export type NumericTensors = Readonly<Record<string, NumericTensor>>;

/**
 * Runs a program in float64: the judge that every runtime is compared with.
 *
 * `values` holds the inputs and the parameters by name. Throws: 'shape' for a value that is missing or does not
 * have the declared shape, 'range' for an index outside its table.
 */
export function evaluate(program: Program, values: NumericTensors): Record<string, NumericTensor> {
  const extents = new Map<string, number>();
  const binding: Binding = {
    resolve(shape, size) {
      const known = shape.map((dim) => (typeof dim === 'number' ? dim : extents.get(dim)));
      const unknown = known.filter((dim) => dim === undefined).length;
      if (unknown > 1 || (unknown === 1 && size === undefined))
        throw new FuzzError('shape', `the extents of ${formatShape(shape)} are not known`);
      const product = known.reduce<number>((total, dim) => total * (dim ?? 1), 1);
      return known.map((dim) => dim ?? size! / product);
    },
  };
  const results = new Map<Tensor, NumericTensor>();
  for (const node of program.nodes) {
    const result =
      node.op === 'input' || node.op === 'parameter'
        ? given(node.attributes.name, node.shape, values, extents)
        : evaluateNode(node, results, binding);
    results.set(node, node.op === 'constant' ? { ...result, shape: node.shape as number[] } : result);
  }
  return Object.fromEntries(program.outputs.map(({ name, tensor }) => [name, results.get(tensor)!]));
}

function evaluateNode<K extends OpName>(
  node: TensorOf<K>,
  results: ReadonlyMap<Tensor, NumericTensor>,
  binding: Binding,
): NumericTensor {
  const inputs = node.inputs.map((input) => results.get(input)!);
  return operations[node.op].evaluate(node.attributes, inputs, binding);
}

function given(
  name: string,
  shape: Shape,
  values: NumericTensors,
  extents: Map<string, number>,
): NumericTensor {
  const value = values[name];
  if (value === undefined) throw new FuzzError('shape', `no value for "${name}"`);
  const fits =
    value.shape.length === shape.length &&
    shape.every((dim, axis) => {
      const got = value.shape[axis]!;
      if (typeof dim === 'number') return dim === got;
      if (!extents.has(dim)) extents.set(dim, got);
      return extents.get(dim) === got;
    });
  if (!fits)
    throw new FuzzError(
      'shape',
      `"${name}": expected ${formatShape(shape)}, got ${formatShape(value.shape)}`,
    );
  return value;
}
