import { type OpName, operations, type Program, type Tensor, type TensorOf } from '@fuzzqe/core/tensor';
import type { Attributes } from './attribute.ts';
import type { GraphBuilder } from './graph-builder.ts';

/** What a lowering knows in addition to the graph that it builds. */
export interface LoweringContext {
  readonly graph: GraphBuilder;
  readonly program: Program;
  /** The name of the value of a tensor that was lowered before. */
  value(tensor: Tensor): string;
  /** The name for the value of a tensor that has a node of its own. */
  nameOf(tensor: Tensor): string;
  /** Adds the node that computes a tensor, under the tensor's own name. Returns the name of its value. */
  result(tensor: Tensor, opType: string, inputs: readonly string[], attributes?: Attributes): string;
}

/** How one operation of the tensor program becomes ONNX nodes. */
export interface Lowering<K extends OpName> {
  /** The tensors whose values it reads; every input where this is left out. */
  reads?(node: TensorOf<K>): readonly Tensor[];
  /**
   * Adds what computes the node, and returns the name of the value that holds it.
   *
   * @throws FuzzError `shape`.
   */
  emit(node: TensorOf<K>, context: LoweringContext): string;
}

/** Lowerings by operation. */
export type Lowerings<K extends OpName> = { readonly [P in K]: Lowering<P> };

/** The operand inside any `stopGradient`, which means nothing in an ONNX graph. */
export function withoutStopGradient(tensor: Tensor): Tensor {
  let at = tensor;
  while (operations[at.op].traits.result === 'same') at = at.inputs[0]!;
  return at;
}
