import { add, div, mul, scalar, sqrt, square, sub, type Tensor } from '@fuzzqe/core/tensor';

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

/** A parameter with its two discounted sums of the gradients and of their squares. */
export interface AdamWState {
  readonly parameter: Tensor;
  /** `Σ β₁ᵏ g`: the running mean of the gradients is (1 − β₁) of it. */
  readonly sum: Tensor;
  /** `Σ β₂ᵏ g²`: the running mean of the squares is (1 − β₂) of it. */
  readonly squareSum: Tensor;
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
 * `m' = β₁m + g`, `v' = β₂v + g²`, `x' = (1 − ηλ)x − a·m' / (√v' + ε/b)` with `b = √((1−β₂)c₂)`, `a = η(1−β₁)c₁/b`.
 *
 * The usual form with the factors of the means folded into the numbers a and b, which are the same for all elements:
 * a step is bound by how often it passes over its largest tensors, and this takes 11 passes where that takes 16.
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
  const rate = mul(step.learningRate, scalar(rateScale));
  const root = sqrt(mul(step.correction2, scalar(1 - beta2)));
  const length = div(mul(rate, mul(step.correction1, scalar(1 - beta1))), root);
  const kept = sub(scalar(1), mul(rate, scalar(weightDecay)));

  const total = add(mul(state.sum, scalar(beta1)), gradient);
  const squareTotal = add(mul(state.squareSum, scalar(beta2)), square(gradient));
  const direction = div(total, add(sqrt(squareTotal), div(scalar(epsilon), root)));
  const shrunk = weightDecay === 0 ? state.parameter : mul(state.parameter, kept);
  return { parameter: sub(shrunk, mul(direction, length)), sum: total, squareSum: squareTotal };
}
