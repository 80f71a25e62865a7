import { add, div, mean, mul, scalar, sum, type Tensor, where } from '@fuzzqe/core/tensor';

/** What a loss learns besides the model, as logs and reports call it. */
export const learnedQuantities = ['temperature'] as const;
export type LearnedQuantity = (typeof learnedQuantities)[number];
export type LearnedQuantities = { readonly [Quantity in LearnedQuantity]?: number };

/** A number that a loss learns: a tensor of one element in the state of a run. */
export interface LearnedScalar<Settings> {
  readonly quantity: LearnedQuantity;
  /** The name of its tensor, which may hold the quantity in another form. */
  readonly tensor: string;
  /** The tensor's element before the first step. */
  start(settings: Settings): number;
  /** The quantity, of the tensor's element. */
  shown(element: number): number;
}

/** What an entity that does not count adds to its score: far below every score, yet finite, since −∞ would make NaN of a row in which none counts. */
export const logOfNothing = -1e30;

/** The scores that a loss is computed from: B queries, A answers of each, M entities to compare them with. */
export interface ScoredBatch {
  /** Of the answers [B, A]. */
  readonly answers: Tensor;
  /** How much each of A answers counts in its query, in all 1 [B, A]; only where there are several. */
  readonly shares?: Tensor;
  /** Of the entities to compare with [B, M]. */
  readonly others: Tensor;
  /** The mean of these over the M, whether they count or not [B, 1]. */
  readonly meanOfOthers: Tensor;
  /** Which of these answer the query in truth and do not count [B, M], bool; absent where all count. */
  readonly masked?: Tensor;
  /** What each of the M adds to its score where a softmax sums them, [1, M] or [B, M]; where absent, all ln(|E|/M). */
  readonly logWeights?: Tensor;
  /** ln of how many known answers each of the A stands for, where known answers count and the M are a sample [B, A]; else the M are all entities. */
  readonly logAnswersFor?: Tensor;
  /** |E|: how many entities the M stand for. */
  readonly entities: number;
}

/**
 * A loss: how an answer is compared with other entities.
 *
 * It sees no vectors, only scores φ(q, e) of (8), times one positive factor a query. So what it ranks is what is served.
 */
export interface Loss<Settings> {
  readonly learns: readonly LearnedScalar<Settings>[];
  /** What a query's scores are multiplied by, given ‖S_q‖₂ [B, 1], or 1 where that is not to count [1], and the tensors of `learns`: [B, 1] or [1], > 0. */
  factor(settings: Settings, length: Tensor, learned: Readonly<Record<string, Tensor>>): Tensor;
  /** The loss of each query [B, 1]. */
  each(settings: Settings, scores: ScoredBatch): Tensor;
  /**
   * The same where every known answer counts, in two parts that add up: of each query [B, 1], given the others' scores alone, and what a
   * score of an answer adds to the loss of its query, as a factor. Absent where a loss has no such parts.
   */
  readonly ofKnown?: (settings: Settings, scores: Pick<ScoredBatch, 'others' | 'meanOfOthers'>) => KnownParts;
}

/** A loss that is linear in the scores of known answers. */
export interface KnownParts {
  /** [B, 1] */
  readonly ofQuery: Tensor;
  readonly factorOfAnswer: number;
}

/** The mean over a query's answers. Shapes: [B, A] → [B, 1]. */
export function meanOfAnswers(each: Tensor, shares: Tensor | undefined): Tensor {
  return shares === undefined ? each : sum(mul(each, shares), [-1]);
}

/** The mean over each row of what is not masked. Shapes: [B, M] → [B, 1]. */
export function meanOfUnmasked(each: Tensor, masked: Tensor | undefined): Tensor {
  if (masked === undefined) return mean(each, [-1]);
  const counted = where(masked, scalar(0), scalar(1));
  return div(sum(mul(each, counted), [-1]), add(sum(counted, [-1]), scalar(1e-12)));
}
