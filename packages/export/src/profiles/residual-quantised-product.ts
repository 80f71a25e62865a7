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

/** Rows in codes of 7 bits: `x ≈ s Σ_i codes_i / 127^i`. */
export interface ResidualRows {
  /** The highest first, in [0, 127]. uint8 [n, count, d] */
  readonly codes: Tensor;
  /** What a step of each is worth: s / 127^i. [n, 1, count] */
  readonly worth: Tensor;
}

/** Quantises each row by its own largest element, in `count` codes. Shapes: x [n, d] ≥ 0. */
export function residualRows(x: Tensor, count: number): ResidualRows {
  const [n, d] = x.shape as [Dim, Dim];
  const scale = rowScale(x);
  let rest = div(maximum(x, scalar(0)), scale);
  const codes = Array.from({ length: count }, (_, i) => {
    // The whole steps below; a half less and to the nearest, so that what is left lies in [0, 1].
    const code = i === count - 1 ? round(rest) : maximum(round(sub(rest, scalar(0.5))), scalar(0));
    rest = mul(sub(rest, code), scalar(activationCodes));
    return reshape(toUint8(code), [n, 1, d]);
  });
  const shares = codes.map((_, i) => activationCodes ** -i);
  return { codes: concat(codes, 1), worth: mul(reshape(scale, [n, 1, 1]), constant(shares, [1, 1, count])) };
}

/**
 * `x · matrices` for a matrix in whole numbers, with activations in two codes of 7 bits: `x ≈ s (high + low / 127)`.
 *
 * Reading a matrix costs more than multiplying by it, so a second row of codes is nearly free. It leaves the weights'
 * error alone, and where two runtimes round an activation to different codes their results still agree: the low code
 * says what the high one left out.
 *
 * Shapes: x [n, d] ≥ 0, matrices int8 [n, d, m] or [d, m] → [n, m].
 */
export const residualQuantisedProduct = (x: Tensor, matrices: Tensor): Tensor =>
  residualProduct(x, 2, (codes) => integerMatmul(codes, matrices));

/**
 * The same with `count` codes and by what multiplies them.
 *
 * Shapes: x [n, d] ≥ 0, `product` of uint8 [n, count, d] int [n, count, m] → [n, m].
 */
export function residualProduct(x: Tensor, count: number, product: (codes: Tensor) => Tensor): Tensor {
  const { codes, worth } = residualRows(x, count);
  const products = toFloat(product(codes));
  // A product with what the codes stand for: one pass over the result instead of four.
  return reshape(matmul(worth, products), [x.shape[0]!, products.shape.at(-1)!]);
}
