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

/** `min(max(x, 0), 1)`. */
export const clip01 = (x: Tensor): Tensor => minimum(maximum(x, scalar(0)), scalar(1));

/** The mean along axes, which stay with extent 1. */
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

/** `√(Σ x² + ε)` along the last axis. Shapes: x [..., d] → [..., 1]. */
export const l2Norm = (x: Tensor, epsilon = 0): Tensor =>
  sqrt(epsilon === 0 ? sum(square(x), [-1]) : add(sum(square(x), [-1]), scalar(epsilon)));

/** `ln Σ e^x` along the last axis, shifted by the row's maximum so that nothing overflows. [..., n] → [..., 1] */
export function logSumExp(x: Tensor): Tensor {
  const shift = stopGradient(max(x, [-1]));
  return add(log(sum(exp(sub(x, shift)), [-1])), shift);
}
