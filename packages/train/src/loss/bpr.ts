import { concat, div, scalar, slice, softplus, sub } from '@fuzzqe/core/tensor';
import { type Loss, meanOfAnswers, meanOfUnmasked } from './loss.ts';

/** What the BPR loss can be told. */
export interface BprSettings {
  /** c in Z_q. > 0. */
  readonly scale: number;
}

/**
 * Bayesian personalised ranking: `L = −(1/k) Σ ln σ((φ(q,e) − φ(q,e'))/Z_q)` with `Z_q = ‖S_q‖₂ / c`.
 *
 * Source: Rendle et al., "BPR", UAI 2009.
 */
export const bprLoss: Loss<BprSettings> = {
  learns: [],
  factor: ({ scale }, length) => div(scalar(scale), length),
  each(_, { answers, shares, others, masked }) {
    const each = Array.from({ length: answers.shape[1] as number }, (_, a) =>
      meanOfUnmasked(softplus(sub(others, slice(answers, a, a + 1, 1))), masked),
    );
    return meanOfAnswers(concat(each, 1), shares);
  },
};
