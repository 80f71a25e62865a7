import { add, div, exp, logSumExp, mul, scalar, softplus, sub, toFloat } from '@fuzzqe/core/tensor';
import { type Loss, meanOfAnswers } from './loss.ts';

/** What the softmax loss can be told. */
export interface SoftmaxSettings {
  /** The temperature τ at the start; it is learned. > 0. */
  readonly temperature: number;
  /** The share of the target that goes to all entities alike. In [0, 1). */
  readonly smoothing: number;
}

// Far below every score, yet finite: −∞ would make NaN of a row that is masked whole.
const impossible = -1e30;

/**
 * Cross-entropy of the answer against many entities under a learned temperature:
 * `z_e = τ φ(q, e) / ‖S_q‖₂`, `L = softplus(ln Σ_e' exp(z_e') + ln(|E|/M) − z_e) + ε (z_e − mean_e' z_e')`.
 *
 * The term ln(|E|/M) makes a uniform sample stand for all entities; one that is drawn otherwise brings a term for each
 * entity in its place. Source: docs/model.md.
 */
export const softmaxLoss: Loss<SoftmaxSettings> = {
  learns: [
    {
      quantity: 'temperature',
      tensor: 'logTemperature',
      start: ({ temperature }) => Math.log(temperature),
      shown: Math.exp,
    },
  ],
  factor: (_, length, { logTemperature }) => div(exp(logTemperature!), length),
  each({ smoothing }, { answers, shares, others, meanOfOthers, masked, logWeights, entities }) {
    // Added and not selected: a selection takes ONNX Runtime three passes over [B, M], and its gradient one more.
    const counted = add(others, mul(toFloat(masked), scalar(impossible)));
    const mass =
      logWeights === undefined
        ? add(logSumExp(counted), scalar(Math.log(entities / (others.shape[1] as number))))
        : logSumExp(add(counted, logWeights));
    const entropy = meanOfAnswers(softplus(sub(mass, answers)), shares);
    if (smoothing === 0) return entropy;
    const lead = sub(meanOfAnswers(answers, shares), meanOfOthers);
    return add(entropy, mul(lead, scalar(smoothing)));
  },
};
