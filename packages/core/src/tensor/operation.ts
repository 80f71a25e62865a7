import { FuzzError } from '../errors.ts';
import type { NumericTensor } from './numeric.ts';
import { type DType, formatShape, type Shape } from './shape.ts';
import type { OpAttributes, OpName, Tensor, TensorOf } from './tensor.ts';

/** What the reference evaluator tells an operation about the run. */
export interface Binding {
  /** The dimensions of `shape` in this run; at most one name may be unknown, and then follows from `size`. */
  resolve(shape: Shape, size?: number): number[];
}

/** What interpreters ask about an operation in addition to its meaning: every one answers, so that no list of names forgets it. */
export interface Traits {
  /**
   * Where its numbers are: `given` to the program or written in it; those of its input, to everything but gradients
   * (`same`) or in another shape, without being written again (`view`); or `computed`.
   */
  readonly result: 'given' | 'same' | 'view' | 'computed';
  /**
   * Whether it repeats an input of dimension 1 along an axis, so that the gradient is summed over it. To other operations,
   * such as a join of single rows, 1 is a dimension like any other.
   */
  readonly repeats: boolean;
  /** The inputs whose numbers decide about the shape of the result, by their places. */
  readonly sizedBy: readonly number[];
}

/** The traits of most operations. */
export const commonTraits: Traits = { result: 'computed', repeats: false, sizedBy: [] };

/** One operation: its shape rule, its meaning in float64 and what else interpreters need to know. */
export interface Operation<K extends OpName> {
  readonly traits: Traits;
  /** The attributes with other names for the dimensions in them. */
  rename(attributes: OpAttributes[K], name: (dimension: string) => string): OpAttributes[K];
  infer(
    attributes: OpAttributes[K],
    inputs: readonly Tensor[],
  ): { readonly shape: Shape; readonly dtype: DType };
  evaluate(attributes: OpAttributes[K], inputs: readonly NumericTensor[], binding: Binding): NumericTensor;
}

/** `rename` of an operation without dimensions in its attributes. */
export const keepAttributes = <A>(attributes: A): A => attributes;

/** Operations by name. */
export type Operations<K extends OpName> = { readonly [P in K]: Operation<P> };

/**
 * Applies an operation: checks its inputs by the shape rule and makes the node.
 *
 * @throws FuzzError `shape`.
 */
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
