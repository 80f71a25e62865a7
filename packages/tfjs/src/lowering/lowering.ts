import type { OpName, Shape, Tensor, TensorOf } from '@fuzzqe/core/tensor';
import type { Tensor as DeviceTensor } from '@tensorflow/tfjs-core';
import type { BackendName } from '../backend/backend.ts';

/** What a lowering is told about the run. */
export interface LoweringContext {
  readonly backend: BackendName;
  /** The dimensions of a shape in this run; `size` is the number of elements, where one of them is not known. */
  resolve(shape: Shape, size?: number): number[];
  /** A number that decides about shapes, such as k: it is known without asking the device. */
  hostNumber(node: Tensor): number;
  /** Gives the result of another node that came about at the same time. */
  provide(node: Tensor, result: DeviceTensor): void;
  /** The program's other node of the same inputs, for `topKValues` and `topKIndices`. */
  twin(node: Tensor): Tensor | undefined;
}

/** How one operation runs with tfjs. */
export interface Lowering<K extends OpName> {
  /** The kernels that a backend must have for it. */
  readonly kernels: readonly string[];
  /** Why a backend that has them still cannot run this node; undefined where it can. */
  refusal?(node: TensorOf<K>, backend: BackendName): string | undefined;
  /** The nodes whose results it is given; its inputs, unless it says otherwise. */
  reads?(node: TensorOf<K>): readonly Tensor[];
  /** Computes the node; the caller frees intermediate tensors. */
  run(node: TensorOf<K>, given: readonly DeviceTensor[], context: LoweringContext): DeviceTensor;
}

/** Lowerings by the name of their operation. */
export type Lowerings<K extends OpName> = { readonly [P in K]: Lowering<P> };
