import { isOpenEnded, type TrainingConfig } from '../config.ts';
import { presets } from './presets.ts';

/** How long a run with an open end may take where nobody says so. */
export const defaultMinutes = 15;

/** Up to so many entities a link is compared with all of them: 512 links at once take 2 KB an entity. */
const comparedWithAll = 2 ** 15;

/**
 * What is trained where nobody says how: the preset `links`, on large graphs with the negatives of `nell995-links`, twice the steps and
 * validations half as often.
 *
 * Ranges: `entities`, |E|, at least 1.
 */
export function defaultTraining(entities: number): TrainingConfig {
  return withSampledNegatives(presets.links.training, entities);
}

/** A configuration as it is trained on a graph: on a large graph a sample of entities takes the place of all, with twice the steps. */
export function withSampledNegatives(training: TrainingConfig, entities: number): TrainingConfig {
  const { kind, count } = training.negatives;
  if (kind !== 'all')
    return { ...training, negatives: { ...training.negatives, count: Math.min(count, entities) } };
  if (entities <= comparedWithAll) return training;
  const { negatives, answers, targets } = presets['nell995-links'].training;
  const { steps, validation } = training;
  return {
    ...training,
    negatives,
    answers,
    targets,
    steps: 2 * steps,
    validation: { ...validation, every: 2 * validation.every, patience: 2 * validation.patience },
  };
}

/** The minutes that a run of this configuration may take: those asked for, or the default where neither they nor its steps are. */
export function minutesFor(
  config: Pick<TrainingConfig, 'optimiser'>,
  asked: { readonly minutes?: number | undefined; readonly steps?: number | undefined },
): number | undefined {
  const isBounded = asked.steps !== undefined || !isOpenEnded(config);
  return asked.minutes ?? (isBounded ? undefined : defaultMinutes);
}

/** Whether batches hold 1p queries alone, which are drawn from the facts: none need to be sampled. */
export function isLinksAlone({ batch }: Pick<TrainingConfig, 'batch'>): boolean {
  return Object.entries(batch).every(([structure, count]) => structure === '1p' || count === 0);
}
