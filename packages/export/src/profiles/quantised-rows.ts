import { div, max, maximum, mul, round, scalar, type Tensor, toUint8 } from '@fuzzqe/core/tensor';

/**
 * The largest code of an activation.
 *
 * 127 and not 255, because x86 processors without VNNI add pairs of uint8·int8 products in 16 bits: 2·127·127 fits,
 * 2·255·127 saturates in silence.
 */
export const activationCodes = 127;

/** Rows in whole numbers: `x ≈ scale · codes`. */
export interface QuantisedRows {
  /** uint8 [n, d], in [0, 127]. */
  readonly codes: Tensor;
  /** [n, 1]. */
  readonly scale: Tensor;
}

/**
 * Quantises each row by its own largest element: `codes = round(x / s)` with `s = max(x) / 127`.
 *
 * A row's codes depend on nothing but the row, so answers do not depend on the rest of a batch.
 * Shapes: x [n, d], x ≥ 0 as all fuzzy vectors are; what rounding put below 0 counts as 0.
 */
export function quantiseRows(x: Tensor): QuantisedRows {
  const scale = rowScale(x);
  return { codes: toUint8(round(div(maximum(x, scalar(0)), scale))), scale };
}

/** `max(x) / 127` of each row. Shapes: [n, d] → [n, 1]. */
export function rowScale(x: Tensor): Tensor {
  // A row of zeros has no scale; with this one its codes are zeros instead of NaN.
  return mul(maximum(max(x, [-1]), scalar(1e-30)), scalar(1 / activationCodes));
}
