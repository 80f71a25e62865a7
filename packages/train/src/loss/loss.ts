import {
  add,
  div,
  exp,
  l2Norm,
  logSumExp,
  matmul,
  mean,
  mul,
  reshape,
  scalar,
  softplus,
  sub,
  sum,
  type Tensor,
  transpose,
  where,
} from '@fuzzqe/core';

/** The losses that can be trained with. */
export const lossNames = ['softmax', 'margin', 'bpr'] as const;
export type LossName = (typeof lossNames)[number];

/** How a loss compares an answer with other entities. */
export interface LossConfig {
  readonly name: LossName;
  /** Margin loss: the paper's γ. */
  readonly margin: number;
  /** Margin and BPR loss: c in Z_q = ‖S_q‖₂ / c. */
  readonly scale: number;
  /** Softmax loss: the temperature τ at the start; it is learned. */
  readonly temperature: number;
}

/** What a loss is computed from: B queries and M entities to compare each answer with. */
export interface LossInputs {
  /** S_q [B, d]. */
  readonly queries: Tensor;
  /** s_e of (8) of one answer of each query [B, d]. */
  readonly positives: Tensor;
  /** s_e' to compare with: shared by all queries [M, d], or own ones [B, M, d]. */
  readonly negatives: Tensor;
  /** Which of them answer the query in truth and do not count [B, M], bool. */
  readonly masked: Tensor;
  /** ln τ [1], learned; only the softmax loss has it. */
  readonly logTemperature: Tensor;
  /** |E|, and how many of them M stands for. */
  readonly entities: number;
  /** How much each query counts [B, 1]; the mean weight is 1. */
  readonly weights?: Tensor;
}

// Far below every score, yet finite: −∞ would make NaN of a row that is masked whole.
const impossible = -1e30;

/** Scores against the entities to compare with: [B, M]. */
function against(queries: Tensor, negatives: Tensor): Tensor {
  if (negatives.shape.length === 2) return matmul(queries, transpose(negatives, [1, 0]));
  const [batch, d] = queries.shape as [number, number];
  const own = matmul(negatives, reshape(queries, [batch, d, 1]));
  return reshape(own, [batch, negatives.shape[1]!]);
}

/**
 * Cross-entropy of the answer against many entities, with the scores as cosines under a learned temperature:
 * `z = τ·cos(S_q, p_e)`, `L = mean softplus(LSE_{e'}(z_e') + ln(|E|/M) − z_e)`.
 *
 * Shapes: see LossInputs → [1, 1]. Source: docs/training.md; the term ln(|E|/M) makes a sample of negatives stand
 * for all entities.
 */
export function softmaxLoss(inputs: LossInputs): Tensor {
  const { queries, positives, negatives, masked, logTemperature, entities } = inputs;
  const temperature = exp(logTemperature);
  const direction = mul(div(queries, l2Norm(queries, 1e-12)), temperature);
  const unit = (x: Tensor): Tensor => div(x, l2Norm(x, 1e-12));
  const z = sum(mul(direction, unit(positives)), [-1]);
  const others = where(masked, scalar(impossible), against(direction, unit(negatives)));
  const correction = Math.log(entities / (negatives.shape.at(-2) as number));
  return weightedMean(softplus(sub(add(logSumExp(others), scalar(correction)), z)), inputs.weights);
}

/**
 * The paper's loss: `L = −ln σ(φ(q,e)/Z_q − γ) − (1/k) Σ ln σ(γ − φ(q,e')/Z_q)` with `Z_q = ‖S_q‖₂ / c`.
 *
 * Masked entities count nothing; the sum is divided by the number of the others.
 * Shapes: see LossInputs → [1, 1]. Source: FuzzQE, "Model Learning and Inference".
 */
export function marginLoss(config: LossConfig, inputs: LossInputs): Tensor {
  const { queries, positives, negatives, masked } = inputs;
  const scaled = scaledQueries(config, queries);
  const gamma = scalar(config.margin);
  const positive = softplus(sub(gamma, sum(mul(scaled, positives), [-1])));
  const negative = meanOfCounted(softplus(sub(against(scaled, negatives), gamma)), masked);
  return weightedMean(add(positive, negative), inputs.weights);
}

/**
 * Bayesian personalised ranking: `L = −(1/k) Σ ln σ((φ(q,e) − φ(q,e'))/Z_q)` with `Z_q = ‖S_q‖₂ / c`.
 *
 * Shapes: see LossInputs → [1, 1]. Source: Rendle et al., "BPR", UAI 2009.
 */
export function bprLoss(config: LossConfig, inputs: LossInputs): Tensor {
  const { queries, positives, negatives, masked } = inputs;
  const scaled = scaledQueries(config, queries);
  const positive = sum(mul(scaled, positives), [-1]);
  const each = softplus(sub(against(scaled, negatives), positive));
  return weightedMean(meanOfCounted(each, masked), inputs.weights);
}

/** `S_q / Z_q`. */
function scaledQueries({ scale }: LossConfig, queries: Tensor): Tensor {
  return mul(div(queries, l2Norm(queries, 1e-12)), scalar(scale));
}

/** The mean over each row of what is not masked. Shapes: [B, M] → [B, 1]. */
function meanOfCounted(each: Tensor, masked: Tensor): Tensor {
  const counted = where(masked, scalar(0), reshape(scalar(1), [1, 1]));
  return div(sum(mul(each, counted), [-1]), add(sum(counted, [-1]), scalar(1e-12)));
}

function weightedMean(losses: Tensor, weights: Tensor | undefined): Tensor {
  return mean(weights === undefined ? losses : mul(losses, weights), [0, 1]);
}

/** The loss that the configuration names. */
export function lossOf(config: LossConfig, inputs: LossInputs): Tensor {
  switch (config.name) {
    case 'softmax':
      return softmaxLoss(inputs);
    case 'margin':
      return marginLoss(config, inputs);
    case 'bpr':
      return bprLoss(config, inputs);
  }
}
