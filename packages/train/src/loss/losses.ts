import {
  add,
  constant,
  gather,
  mean,
  mul,
  reshape,
  scalar,
  sizeOf,
  sum,
  type Tensor,
} from '@fuzzqe/core/tensor';
import { familyOf, type ModelConfig } from '@fuzzqe/model';
import { type BprSettings, bprLoss } from './bpr.ts';
import type { LearnedScalar, Loss, ScoredBatch } from './loss.ts';
import { type MarginSettings, marginLoss } from './margin.ts';
import { type SoftmaxSettings, softmaxLoss } from './softmax.ts';

/** The losses that can be trained with. */
export const lossNames = ['softmax', 'margin', 'bpr'] as const;
export type LossName = (typeof lossNames)[number];

/** Which loss a run has, with the settings of all of them; a loss reads its own. */
export type LossConfig = { readonly name: LossName } & SoftmaxSettings & MarginSettings & BprSettings;

const losses: Readonly<Record<LossName, Loss<LossConfig>>> = {
  softmax: softmaxLoss,
  margin: marginLoss,
  bpr: bprLoss,
};

/** What a configuration's loss learns besides the model. */
export function learnedScalars({ name }: Pick<LossConfig, 'name'>): readonly LearnedScalar<LossConfig>[] {
  return losses[name].learns;
}

/** What the loss multiplies scores by, but for the length of a query: [1]. */
export function scoreScale(config: LossConfig, learned: Readonly<Record<string, Tensor>>): Tensor {
  return losses[config.name].factor(config, constant([1], [1]), learned);
}

/** What the loss of a batch is computed from: B queries and M entities to compare each answer with. */
export interface LossInputs extends Omit<ScoredBatch, 'answers' | 'others' | 'meanOfOthers' | 'entities'> {
  /** S_q [B, d]. */
  readonly queries: Tensor;
  /** p_e of the answers to learn from: one of each query [B, d] or A of them [B, A, d]; absent where they are what is masked among the others, with shares of these [B, M], or `known`. */
  readonly answers?: Tensor;
  /** All known answers of all queries, where they count and the others are all entities. */
  readonly known?: KnownAnswersOfBatch;
  /** p_e' to compare with: shared by all queries [M, d], or own ones [B, M, d]. */
  readonly others: Tensor;
  /** The tensors that the loss learns, by name. */
  readonly learned: Readonly<Record<string, Tensor>>;
  /** How much each query counts [B, 1]; the mean weight is 1. */
  readonly weights?: Tensor;
}

/** The known answers of a batch, each of which counts alike. */
export interface KnownAnswersOfBatch {
  /** Where they are among the scores [B, M] of the others, row by row: int [n]. */
  readonly places: Tensor;
  /** 1/n [1]. */
  readonly share: Tensor;
}

/**
 * The loss of a batch: the mean over its queries, each with its weight.
 *
 * What makes scores of queries comparable is its family's: in some, how long a vector is says how sure it is.
 * Shapes: see LossInputs → [1, 1].
 */
export function batchLoss(model: ModelConfig, config: LossConfig, inputs: LossInputs): Tensor {
  const { queries, learned, weights } = inputs;
  const loss = losses[config.name];
  const compared = familyOf(model).compare(model, queries, (length) => loss.factor(config, length, learned));
  const others = compared.all(inputs.others);
  const meanOfOthers = compared.mean(inputs.others);
  const meanOf = (each: Tensor): Tensor => mean(weights === undefined ? each : mul(each, weights), [0, 1]);
  if (inputs.known !== undefined) {
    const { places, share } = inputs.known;
    const { ofQuery, factorOfAnswer } = loss.ofKnown!(config, { others, meanOfOthers });
    const ofAnswers = gather(reshape(others, [sizeOf(others.shape), 1]), places, { distinct: true });
    return add(meanOf(ofQuery), mul(sum(ofAnswers, [0, 1]), mul(share, scalar(factorOfAnswer))));
  }
  const answers =
    inputs.answers === undefined
      ? others
      : (inputs.answers.shape.length === 2 ? compared.pairs : compared.all)(inputs.answers);
  const each = loss.each(config, {
    ...inputs,
    answers,
    others,
    meanOfOthers,
    entities: model.entities,
  });
  return meanOf(each);
}
