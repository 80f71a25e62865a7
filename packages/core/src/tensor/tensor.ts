import type { Dim, DType, Shape } from './shape.ts';

type Nothing = Readonly<Record<never, never>>;

/**
 * Every operation of a tensor program, with what it needs beside its inputs.
 *
 * This list is closed: the float64 reference, the gradients, the ONNX emitter and every other interpreter are
 * exhaustive records over its keys, so a new operation does not compile until each of them knows it.
 */
export interface OpAttributes {
  /** A tensor that is given at every run. */
  readonly input: { readonly name: string };
  /** A tensor that belongs to the model: a weight in a served graph, a piece of state in a training step. */
  readonly parameter: { readonly name: string };
  /** Numbers written into the program, row by row. */
  readonly constant: { readonly values: readonly number[] };
  readonly neg: Nothing;
  readonly exp: Nothing;
  readonly log: Nothing;
  readonly sqrt: Nothing;
  readonly sigmoid: Nothing;
  readonly softplus: Nothing;
  readonly stopGradient: Nothing;
  readonly toFloat: Nothing;
  readonly add: Nothing;
  readonly sub: Nothing;
  readonly mul: Nothing;
  readonly div: Nothing;
  readonly minimum: Nothing;
  readonly maximum: Nothing;
  readonly greaterOrEqual: Nothing;
  readonly where: Nothing;
  readonly matmul: Nothing;
  readonly round: Nothing;
  readonly toInt: Nothing;
  readonly toUint8: Nothing;
  readonly integerMatmul: Nothing;
  readonly pick: Nothing;
  readonly transpose: { readonly permutation: readonly number[] };
  readonly reshape: { readonly shape: Shape };
  readonly broadcastLike: Nothing;
  readonly concat: { readonly axis: number };
  readonly slice: { readonly axis: number; readonly start: number; readonly end: number };
  readonly gather: Nothing;
  readonly scatterAdd: { readonly rows: Dim };
  readonly regroup: Nothing;
  readonly sum: { readonly axes: readonly number[] };
  readonly max: { readonly axes: readonly number[] };
  readonly topKValues: { readonly extent: string };
  readonly topKIndices: { readonly extent: string };
}

/** The name of an operation. */
export type OpName = keyof OpAttributes;

/** The result of one operation: an immutable node of a program that has not run yet. */
export interface TensorOf<K extends OpName> {
  readonly op: K;
  readonly attributes: OpAttributes[K];
  readonly inputs: readonly Tensor[];
  readonly shape: Shape;
  readonly dtype: DType;
  /** A name for people who look at the exported graph; it changes no number. */
  readonly label?: string;
}

/** Any node of a tensor program. */
export type Tensor = { [K in OpName]: TensorOf<K> }[OpName];

/** `tensor` under a name that exported graphs show. */
export function labelled(label: string, tensor: Tensor): Tensor {
  return { ...tensor, label };
}
