import type { OpName, Tensor } from '../../tensor/index.ts';

/** A small program around one operation: its outputs, and the range of its int inputs where that is not [0, 4). */
export interface OpCase {
  readonly outputs: Readonly<Record<string, Tensor>>;
  readonly below?: Readonly<Record<string, number>>;
  /** Float inputs are in (0, 2) instead of around 0. */
  readonly positive?: true;
  /** Int inputs whose numbers matter together. */
  readonly fixed?: Readonly<Record<string, readonly number[]>>;
}

/** A tensor made by the operation, and the parameters that it is differentiated by. */
export interface GradientCase {
  readonly of: Tensor;
  readonly by: readonly Tensor[];
  /** Where it is not what finite differences say: nothing passes, or asking for it is an error. */
  readonly is?: 'zero' | 'refused';
}

type Some<T> = readonly [T, ...T[]];

/** Everything that an operation is tested with: in float64, by its gradient, and in every runtime. */
export interface OpTests {
  /** What it gives, worked out by hand; whatever is given by name is 1, 2, 3. */
  readonly values: Some<readonly [Tensor, readonly number[]]>;
  readonly gradients: Some<GradientCase>;
  /** Programs that runtimes run, and that are compared with float64. */
  readonly programs: readonly OpCase[];
}

/** The tests of some operations. */
export type OpCases<K extends OpName> = { readonly [P in K]: OpTests };
