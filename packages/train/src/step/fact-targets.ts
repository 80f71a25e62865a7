import { FuzzError } from '@fuzzqe/core';
import type { ModelConfig } from '@fuzzqe/core/model';
import { input, type Tensor } from '@fuzzqe/core/tensor';
import type { TrainingConfig } from '../config.ts';
import { linkDrawNames } from '../links/link-draw.ts';
import { isRegularised } from '../regulariser/regularisers.ts';
import type { BatchLayout } from './batch-layout.ts';

/** Throws 'config' where a step of facts would not be one of links that are compared with all entities. */
export function expectLinks(config: TrainingConfig, { groups }: BatchLayout): void {
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
}

/** What a step of facts is fed besides. */
export interface FactFeeds {
  /** `tailShares`, 1 / n_hr of each link. [B, 1] */
  readonly ofEachTail: Tensor;
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
  return {
    ofEachTail: feed(input('tailShares', 'float', [queries, 1])),
    weights: feed(input('linkWeights', 'float', [queries, 1])),
    tails: isRegularised(config) ? feed(input('tails', 'float', [model.entities, 1])) : undefined,
    ofPredicted:
      config.relationPrediction > 0 ? feed(input('predicted', 'int', [queries * config.answers])) : undefined,
  };
}
