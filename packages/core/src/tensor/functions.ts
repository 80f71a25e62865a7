import {
  add,
  div,
  exp,
  log,
  max,
  maximum,
  minimum,
  mul,
  scalar,
  sqrt,
  stopGradient,
  sub,
  sum,
} from './ops/index.ts';
import { sizeOf } from './shape.ts';
import type { Tensor } from './tensor.ts';

/** `x ∘ x`. */
export const square = (x: Tensor): Tensor => mul(x, x);

/** `min(max(x, 0), 1)`. Its gradient is 0 at 0: of equal operands the first, here the constant, takes it. */
export const clip01 = (x: Tensor): Tensor => minimum(maximum(scalar(0), x), scalar(1));

/** The mean along axes, which stay with dimension 1. */
export function mean(x: Tensor, axes: readonly number[]): Tensor {
  const total = sum(x, axes);
  const count = sizeOf(axes.map((axis) => x.shape.at(axis)!));
  return mul(total, scalar(1 / count));
}

/**
 * Layer normalisation without affine parameters over the last axis: `(x − mean) / √(variance + ε)`.
 *
 * Shapes: x [..., d] → [..., d]. Source: FuzzQE, "Relation Projection"; Ba et al. 2016.
 */
export function layerNorm(x: Tensor, epsilon: number): Tensor {
  const centred = sub(x, mean(x, [-1]));
  return div(centred, sqrt(add(mean(square(centred), [-1]), scalar(epsilon))));
}

/**
 * `√(Σ x² + ε)` along the last axis. Shapes: x [..., d] → [..., 1].
 *
 * ε keeps the gradient x/‖x‖ finite at a row of zeros, where it is 0. The default is below the rounding of every
 * norm above 1e-8 in float64.
 */
export const l2Norm = (x: Tensor, epsilon = 1e-32): Tensor =>
  sqrt(add(sum(square(x), [-1]), scalar(epsilon)));

/** `ln Σ e^x` along the last axis, shifted by the row's maximum so that nothing overflows. [..., n] → [..., 1] */
export function logSumExp(x: Tensor): Tensor {
  const shift = stopGradient(max(x, [-1]));
  return add(log(sum(exp(sub(x, shift)), [-1])), shift);
}
