import { add, concat, mul, neg, reshape, slice, sub, type Tensor } from '@fuzzqe/core/tensor';

/** The two halves of rows: real and imaginary parts, where i and i + d/2 are a complex number. Shapes: [..., d] → [..., d/2] each. */
function halves(x: Tensor): readonly [Tensor, Tensor] {
  const axis = x.shape.length - 1;
  const d = x.shape[axis] as number;
  return [slice(x, 0, d / 2, axis), slice(x, d / 2, d, axis)];
}

/**
 * The product of complex numbers, pair by pair, and of rows with block-diagonal matrices: `[a b] [c s] → [a c − b s, a s + b c]`.
 *
 * Shapes: x and y [..., d] → [..., d].
 */
export function pairProduct(x: Tensor, y: Tensor): Tensor {
  const [[a, b], [c, s]] = [halves(x), halves(y)];
  return concat([sub(mul(a, c), mul(b, s)), add(mul(a, s), mul(b, c))], x.shape.length - 1);
}

/**
 * What a relation's pairs are multiplied with for `(h r) · t`: t, turned back by h, because the product is linear in r.
 *
 * Shapes: heads [n, d], tails [n · A, d] → [n, A, d].
 */
export function turnedBack(heads: Tensor, tails: Tensor): Tensor {
  const [count, d] = heads.shape as readonly [number, number];
  const head = reshape(heads, [count, 1, d]);
  const tail = reshape(tails, [count, (tails.shape[0] as number) / count, d]);
  const [real, imaginary] = halves(head);
  return pairProduct(tail, concat([real, neg(imaginary)], 2));
}
