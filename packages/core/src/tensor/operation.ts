import { FuzzError } from '../errors.ts';
import type { NumericTensor } from './numeric.ts';
import { type DType, formatShape, type Shape } from './shape.ts';
import type { OpAttributes, OpName, Tensor, TensorOf } from './tensor.ts';

/** What the reference evaluator tells an operation about the run. */
export interface Binding {
  /** The extents of `shape` in this run; at most one name may be unknown, and then follows from `size`. */
  resolve(shape: Shape, size?: number): number[];
}

/** One operation: its shape rule and its meaning in float64. */
export interface Operation<K extends OpName> {
  infer(
    attributes: OpAttributes[K],
    inputs: readonly Tensor[],
  ): { readonly shape: Shape; readonly dtype: DType };
  evaluate(attributes: OpAttributes[K], inputs: readonly NumericTensor[], binding: Binding): NumericTensor;
}

/** Operations by name. */
export type Operations<K extends OpName> = { readonly [P in K]: Operation<P> };

/** Applies an operation: checks its inputs by the shape rule and makes the node. Throws: 'shape'. */
export function apply<K extends OpName>(
  op: K,
  operation: Operation<K>,
  attributes: OpAttributes[K],
  ...inputs: readonly Tensor[]
): Tensor {
  try {
    const node: TensorOf<K> = { op, attributes, inputs, ...operation.infer(attributes, inputs) };
    return node as unknown as Tensor; // the union of TensorOf<K> over all K, which K cannot name
  } catch (cause) {
    if (!(cause instanceof FuzzError)) throw cause;
    const shapes = inputs.map((input) => `${input.dtype}${formatShape(input.shape)}`).join(', ');
    throw new FuzzError('shape', `${op}(${shapes}): ${cause.message}`);
  }
}

/** Throws 'shape' unless `tensor` has the dtype. */
export function expectDType(tensor: Tensor, dtype: DType): void {
  if (tensor.dtype !== dtype) throw new FuzzError('shape', `expected ${dtype} numbers, got ${tensor.dtype}`);
}
