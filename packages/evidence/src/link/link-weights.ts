import { FuzzError } from '@fuzzqe/core';
import { featureCount } from './features.ts';

/** What joins the evidence of a link to its probability. */
export interface LinkWeights {
  /** τ: how sharp the model's shares are; null without a model, whose features are 0 then. */
  readonly temperature: number | null;
  /** Relations by which entities say what they are, from which ranges follow. */
  readonly typeRelations: readonly number[];
  /** w_r of every relation, in the order of `featureNames` [|R| × 12]. */
  readonly relations: Float64Array;
}

/** The weights of one relation. Shapes: → [12]. */
export function weightsOf({ relations }: LinkWeights, relation: number): Float64Array {
  const weights = relations.subarray(relation * featureCount, (relation + 1) * featureCount);
  if (weights.length === featureCount) return weights;
  throw new FuzzError(
    'range',
    `weights: expected those of ${relation + 1} relations or more, got ${Math.floor(relations.length / featureCount)}`,
    { hint: 'The weights were fitted on another graph.' },
  );
}
