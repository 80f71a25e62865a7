import { add, div, mul, scalar, sqrt, square, sub, type Tensor } from '@fuzzqe/core';

/** What AdamW is told once, for one group of parameters. */
export interface AdamWSettings {
  /** Decay of the running mean of gradients. In [0, 1). */
  readonly beta1: number;
  /** Decay of the running mean of squared gradients. In [0, 1). */
  readonly beta2: number;
  readonly epsilon: number;
  /** Share of the parameter that is taken away at a step, before the learning rate. ≥ 0. */
  readonly weightDecay: number;
  /** What the step's learning rate is multiplied by for this group. > 0. */
  readonly rateScale: number;
}

/** What changes from step to step: one-element tensors. */
export interface AdamWStep {
  readonly learningRate: Tensor;
  /** `1 / (1 − β₁ᵗ)` */
  readonly correction1: Tensor;
  /** `1 / (1 − β₂ᵗ)` */
  readonly correction2: Tensor;
}

/** A parameter with its two running means. */
export interface AdamWState {
  readonly parameter: Tensor;
  readonly mean: Tensor;
  readonly square: Tensor;
}

/** The usual settings of AdamW without decay. */
export const adamWDefaults: AdamWSettings = {
  beta1: 0.9,
  beta2: 0.999,
  epsilon: 1e-8,
  weightDecay: 0,
  rateScale: 1,
};

/**
 * One step of AdamW as a tensor program.
 *
 * `m' = β₁m + (1−β₁)g`, `v' = β₂v + (1−β₂)g²`, `x' = x − η(m'c₁ / (√(v'c₂) + ε) + λx)`.
 *
 * Shapes: all of the parameter's shape. Source: Loshchilov and Hutter, "Decoupled Weight Decay Regularization", 2019.
 */
export function adamW(
  settings: AdamWSettings,
  step: AdamWStep,
  state: AdamWState,
  gradient: Tensor,
): AdamWState {
  const { beta1, beta2, epsilon, weightDecay, rateScale } = settings;
  const mean = add(mul(state.mean, scalar(beta1)), mul(gradient, scalar(1 - beta1)));
  const squareMean = add(mul(state.square, scalar(beta2)), mul(square(gradient), scalar(1 - beta2)));
  const direction = div(
    mul(mean, step.correction1),
    add(sqrt(mul(squareMean, step.correction2)), scalar(epsilon)),
  );
  const wanted = weightDecay === 0 ? direction : add(direction, mul(state.parameter, scalar(weightDecay)));
  const rate = rateScale === 1 ? step.learningRate : mul(step.learningRate, scalar(rateScale));
  return { parameter: sub(state.parameter, mul(wanted, rate)), mean, square: squareMean };
}
