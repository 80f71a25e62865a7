import { FuzzError } from '@fuzzqe/core';
import { input, type Tensor } from '@fuzzqe/core/tensor';
import type { ModelConfig } from '@fuzzqe/model';
import { isMasked, type TrainingConfig } from '../config.ts';
import { linkDrawNames } from '../links/link-draw.ts';
import type { KnownAnswersOfBatch } from '../loss/losses.ts';
import { isRegularised } from '../regulariser/regularisers.ts';
import type { BatchLayout } from './batch-layout.ts';

/** Facts are found among scores by a number of 32 bits. */
const mostScores = 2 ** 31 - 1;

/** Throws 'config' where a step of facts would not be one of links that are compared with all entities. */
export function expectLinks(
  config: TrainingConfig,
  { groups, queries }: BatchLayout,
  entities: number,
): void {
  const expected = (path: string, what: string): FuzzError =>
    new FuzzError('config', `targets "facts": expected ${what}`, {
      path,
      hint: 'change that, or learn from answers that are drawn: "targets": "drawn"',
    });
  if (groups.some(({ structure }) => structure !== '1p')) throw expected('$.batch', '1p queries alone');
  if (config.negatives.kind !== 'all') throw expected('$.negatives.kind', '"all"');
  if (config.loss.name !== 'softmax') throw expected('$.loss.name', '"softmax"');
  if (linkDrawNames.some((name) => name !== 'pairs' && config.links[name] !== undefined))
    throw expected('$.links', '{"pairs": 1}, since each link counts by its facts');
  if (queries * entities > mostScores)
    throw expected(
      '$.batch.1p',
      `at most ${Math.floor(mostScores / entities)} links of ${entities} entities`,
    );
}

/** What a step of facts is fed besides. */
export interface FactFeeds {
  /** Where known answers count: `facts`, where their tails are among the scores [B, |E|], row by row [facts], int; and `factShare` [1], 1 / facts. */
  readonly known: KnownAnswersOfBatch | undefined;
  /** Where they do not: `tailShares`, 1 / n_hr of each link. [B, 1] */
  readonly ofEachTail: Tensor | undefined;
  /** `linkWeights`, n_hr as a share of its mean over the batch. [B, 1] */
  readonly weights: Tensor;
  /** `tails`, how much of the batch's facts end at each entity, where something regularises entities. [|E|, 1] */
  readonly tails: Tensor | undefined;
  /** `predicted`, of which link each fact is whose relation is predicted, where any is. [B A], int */
  readonly ofPredicted: Tensor | undefined;
}

/** Declares what a step of facts is fed besides. */
export function factFeeds(
  { queries }: BatchLayout,
  model: ModelConfig,
  config: TrainingConfig,
  feed: (tensor: Tensor) => Tensor,
): FactFeeds {
  const isCounted = !isMasked(config);
  return {
    known: isCounted
      ? { places: feed(input('facts', 'int', ['facts'])), share: feed(input('factShare', 'float', [1])) }
      : undefined,
    ofEachTail: isCounted ? undefined : feed(input('tailShares', 'float', [queries, 1])),
    weights: feed(input('linkWeights', 'float', [queries, 1])),
    tails: isRegularised(config) ? feed(input('tails', 'float', [model.entities, 1])) : undefined,
    ofPredicted:
      config.relationPrediction > 0 ? feed(input('predicted', 'int', [queries * config.answers])) : undefined,
  };
}
