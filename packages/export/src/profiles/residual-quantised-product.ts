import {
  concat,
  constant,
  type Dim,
  div,
  integerMatmul,
  matmul,
  maximum,
  mul,
  reshape,
  round,
  scalar,
  sub,
  type Tensor,
  toFloat,
  toUint8,
} from '@fuzzqe/core/tensor';
import { activationCodes, rowScale } from './quantised-rows.ts';

/**
 * `x · matrices` for a matrix in whole numbers, with activations in two codes of 7 bits: `x ≈ s (high + low / 127)`.
 *
 * Reading a matrix costs more than multiplying by it, so a second row of codes is nearly free. It leaves the weights'
 * error alone, and where two runtimes round an activation to different codes their results still agree: the low code
 * says what the high one left out.
 *
 * Shapes: x [n, d] ≥ 0, matrices int8 [n, d, m] or [d, m] → [n, m].
 */
export function residualQuantisedProduct(x: Tensor, matrices: Tensor): Tensor {
  const [n, d] = x.shape as [Dim, Dim];
  const scale = rowScale(x);
  const steps = div(maximum(x, scalar(0)), scale);
  // The whole steps below; a half less and to the nearest, so that what is left lies in [0, 1].
  const high = maximum(round(sub(steps, scalar(0.5))), scalar(0));
  const low = round(mul(sub(steps, high), scalar(activationCodes)));
  const codes = [high, low].map((part) => reshape(toUint8(part), [n, 1, d]));
  const products = toFloat(integerMatmul(concat(codes, 1), matrices));
  // A product with what the codes stand for: one pass over the result instead of four.
  const worth = mul(reshape(scale, [n, 1, 1]), constant([1, 1 / activationCodes], [1, 1, 2]));
  return reshape(matmul(worth, products), [n, matrices.shape.at(-1)!]);
}
