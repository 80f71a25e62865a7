import { add, div, scalar, softplus, sub } from '@fuzzqe/core/tensor';
import { type Loss, meanOfAnswers, meanOfUnmasked } from './loss.ts';

/** What the margin loss can be told. */
export interface MarginSettings {
  /** The paper's γ. */
  readonly margin: number;
  /** c in Z_q. > 0. */
  readonly scale: number;
}

/**
 * The paper's loss: `L = −ln σ(φ(q,e)/Z_q − γ) − (1/k) Σ ln σ(γ − φ(q,e')/Z_q)` with `Z_q = ‖S_q‖₂ / c`.
 *
 * Masked entities count nothing; the sum is divided by the number of the others.
 * Source: FuzzQE, "Model Learning and Inference".
 */
export const marginLoss: Loss<MarginSettings> = {
  learns: [],
  factor: ({ scale }, length) => div(scalar(scale), length),
  each({ margin }, { answers, shares, others, masked }) {
    const gamma = scalar(margin);
    const positive = meanOfAnswers(softplus(sub(gamma, answers)), shares);
    return add(positive, meanOfUnmasked(softplus(sub(others, gamma)), masked));
  },
};
