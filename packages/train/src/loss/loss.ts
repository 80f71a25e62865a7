import {
  add,
  concat,
  div,
  exp,
  l2Norm,
  logSumExp,
  matmul,
  maximum,
  mean,
  mul,
  neg,
  reshape,
  scalar,
  slice,
  softplus,
  square,
  sub,
  sum,
  type Tensor,
  transpose,
  where,
} from '@fuzzqe/core/tensor';

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
  /** Softmax loss: the share of the target that goes to all entities alike. In [0, 1). */
  readonly smoothing: number;
  /** Weight of the N3 penalty on the entities of the batch; 0 is none. ≥ 0. */
  readonly penalty: number;
}

/** What a loss is computed from: B queries and M entities to compare each answer with. */
export interface LossInputs {
  /** S_q [B, d]. */
  readonly queries: Tensor;
  /** s_e of (8) of the answers to learn from: one of each query [B, d] or A of them [B, A, d]. */
  readonly positives: Tensor;
  /** How much each of A answers counts in its query, in all 1 [B, A]; only where there are several. */
  readonly shares?: Tensor;
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

/** Scores of the answers to learn from: [B, A]. */
function ofAnswers(queries: Tensor, positives: Tensor): Tensor {
  return positives.shape.length === 2 ? sum(mul(queries, positives), [-1]) : against(queries, positives);
}

/** The mean over a query's answers. Shapes: [B, A] → [B, 1]. */
function overAnswers(each: Tensor, shares: Tensor | undefined): Tensor {
  return shares === undefined ? each : sum(mul(each, shares), [-1]);
}

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
export function softmaxLoss({ smoothing }: Pick<LossConfig, 'smoothing'>, inputs: LossInputs): Tensor {
  const { queries, positives, shares, negatives, masked, logTemperature, entities } = inputs;
  const temperature = exp(logTemperature);
  const direction = mul(div(queries, l2Norm(queries, 1e-12)), temperature);
  const unit = (x: Tensor): Tensor => div(x, l2Norm(x, 1e-12));
  const z = ofAnswers(direction, unit(positives));
  const others = against(direction, unit(negatives));
  const correction = scalar(Math.log(entities / (negatives.shape.at(-2) as number)));
  const mass = add(logSumExp(where(masked, scalar(impossible), others)), correction);
  const entropy = overAnswers(softplus(sub(mass, z)), shares);
  if (smoothing === 0) return weightedMean(entropy, inputs.weights);
  const lead = sub(overAnswers(z, shares), meanOfCounted(others, masked));
  return weightedMean(add(entropy, mul(lead, scalar(smoothing))), inputs.weights);
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
  const positive = overAnswers(softplus(sub(gamma, ofAnswers(scaled, positives))), inputs.shares);
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
  const others = against(scaled, negatives);
  const answers = ofAnswers(scaled, positives);
  const each = Array.from({ length: answers.shape[1] as number }, (_, a) =>
    meanOfCounted(softplus(sub(others, slice(answers, a, a + 1, 1))), masked),
  );
  return weightedMean(overAnswers(concat(each, 1), inputs.shares), inputs.weights);
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

/**
 * A loss with the N3 penalty on the free numbers behind the batch's anchors and answers: `L + λ · mean Σ_i |x_e(i)|³`.
 *
 * An entity counts as often as it occurs, unlike under weight decay, which takes the same share of every entity.
 * Shapes: x [entities, d] → [1, 1]. Source: Lacroix, Usunier and Obozinski, "Canonical Tensor Decomposition for
 * Knowledge Base Completion", 2018.
 */
export function withPenalty(weight: number, loss: Tensor, x: Tensor): Tensor {
  if (weight === 0) return loss;
  const cubes = mul(square(x), maximum(x, neg(x)));
  return add(loss, mul(mean(sum(cubes, [-1]), [0, 1]), scalar(weight)));
}

/** The loss that the configuration names. */
export function lossOf(config: LossConfig, inputs: LossInputs): Tensor {
  switch (config.name) {
    case 'softmax':
      return softmaxLoss(config, inputs);
    case 'margin':
      return marginLoss(config, inputs);
    case 'bpr':
      return bprLoss(config, inputs);
  }
}
