import type { Tensor, TensorOf } from '@fuzzqe/core/tensor';
import { type Lowering, withoutStopGradient } from './lowering.ts';

interface Operand {
  readonly tensor: Tensor;
  readonly transposed: boolean;
}

/** An operand of a product of matrices; a transposition is left to the product where it can do it itself. */
function operandOf(tensor: Tensor, matrices: boolean): Operand {
  const inner = withoutStopGradient(tensor);
  return matrices && inner.op === 'transpose' && inner.attributes.permutation[0] === 1
    ? { tensor: inner.inputs[0]!, transposed: true }
    : { tensor, transposed: false };
}

function operandsOf(node: TensorOf<'matmul'>): readonly [Operand, Operand] {
  const matrices = node.inputs.every((input) => input.shape.length === 2);
  return [operandOf(node.inputs[0]!, matrices), operandOf(node.inputs[1]!, matrices)];
}

/** A product of two matrices of which one is transposed is a Gemm, so that no table is copied; others are MatMul. */
export const matmulLowering: Lowering<'matmul'> = {
  reads: (node) => operandsOf(node).map(({ tensor }) => tensor),
  emit(node, { value, result }) {
    const [a, b] = operandsOf(node);
    const inputs = [value(a.tensor), value(b.tensor)];
    if (!a.transposed && !b.transposed) return result(node, 'MatMul', inputs);
    return result(node, 'Gemm', inputs, { transA: a.transposed ? 1 : 0, transB: b.transposed ? 1 : 0 });
  },
};
