import type { TrainingConfig } from '../config.ts';
import { presets } from './presets.ts';

/** Up to so many entities a link is compared with all of them: 512 links at once take 2 KB an entity. */
const comparedWithAll = 2 ** 15;

/**
 * What is trained where nobody says how: the preset `links`, on large graphs with the negatives of `nell995-links` and twice the steps.
 *
 * Ranges: `entities`, |E|, at least 1.
 */
export function defaultTraining(entities: number): TrainingConfig {
  const { training } = presets.links;
  if (entities <= comparedWithAll) return training;
  const { negatives, answers, targets } = presets['nell995-links'].training;
  const steps = 2 * training.steps;
  return {
    ...training,
    negatives,
    answers,
    targets,
    steps,
    validation: { every: steps, patience: steps },
  };
}

/** Whether batches hold 1p queries alone, which are drawn from the facts: none need to be sampled. */
export function isLinksAlone({ batch }: Pick<TrainingConfig, 'batch'>): boolean {
  return Object.entries(batch).every(([structure, count]) => structure === '1p' || count === 0);
}
