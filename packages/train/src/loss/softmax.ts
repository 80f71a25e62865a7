import {
  add,
  div,
  exp,
  logSumExp,
  mul,
  scalar,
  softplus,
  sub,
  type Tensor,
  toFloat,
} from '@fuzzqe/core/tensor';
import { type Loss, logOfNothing, meanOfAnswers, type ScoredBatch } from './loss.ts';

/** What the softmax loss can be told. */
export interface SoftmaxSettings {
  /** The temperature τ at the start; it is learned. > 0. */
  readonly temperature: number;
  /** The share of the target that goes to all entities alike. In [0, 1). */
  readonly smoothing: number;
  /** Whether a query's known answers take part in the sum that each of them is compared with. */
  readonly knownAnswers: KnownAnswers;
}

/**
 * What the other known answers of a query are to one of them: `masked`, so that each is to stand above all that is no answer;
 * or `counted`, so that they share what stands above it, and one of n is asked for a probability of 1/n.
 */
export const knownAnswersNames = ['masked', 'counted'] as const;
export type KnownAnswers = (typeof knownAnswersNames)[number];

/**
 * Cross-entropy of the answer against many entities under a learned temperature:
 * `z_e = τ φ(q, e) / ‖S_q‖₂`, `L = ln(exp(z_e) + Z) − z_e + ε (z_e − mean_e' z_e')`, `Z = |E|/M Σ_e' exp(z_e')` of what is no answer.
 *
 * The factor |E|/M makes a uniform sample stand for all entities; one that is drawn otherwise brings a term for each
 * entity in its place. With `knownAnswers` counted, the sum over all known answers stands where exp(z_e) does.
 * Source: docs/model.md.
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
  each({ smoothing, knownAnswers }, batch) {
    const { answers, shares, meanOfOthers } = batch;
    const entropy =
      knownAnswers === 'counted'
        ? sub(logSumOfAll(batch), meanOfAnswers(answers, shares))
        : meanOfAnswers(softplus(sub(logSumOfOthers(batch), answers)), shares);
    if (smoothing === 0) return entropy;
    const lead = sub(meanOfAnswers(answers, shares), meanOfOthers);
    return add(entropy, mul(lead, scalar(smoothing)));
  },
  ofKnown: ({ smoothing }, { others, meanOfOthers }) => ({
    ofQuery:
      smoothing === 0 ? logSumExp(others) : sub(logSumExp(others), mul(meanOfOthers, scalar(smoothing))),
    factorOfAnswer: smoothing - 1,
  }),
};

/** ln Z: of what is no answer. Shapes: [B, 1]. */
function logSumOfOthers({ others, masked, logWeights, entities }: ScoredBatch): Tensor {
  // Added and not selected: a selection takes ONNX Runtime three passes over [B, M], and its gradient one more.
  const counted = masked === undefined ? others : add(others, mul(toFloat(masked), scalar(logOfNothing)));
  return logWeights === undefined
    ? add(logSumExp(counted), scalar(Math.log(entities / (others.shape[1] as number))))
    : logSumExp(add(counted, logWeights));
}

/** ln Σ_e' exp(z_e') over all entities; a sample stands for those that are no answer, the drawn answers for all answers. Shapes: [B, 1]. */
function logSumOfAll(batch: ScoredBatch): Tensor {
  const { answers, others, logAnswersFor } = batch;
  if (logAnswersFor === undefined) return logSumExp(others);
  const known = logSumExp(add(answers, logAnswersFor));
  return add(known, softplus(sub(logSumOfOthers(batch), known)));
}
