import type { TrainingConfig } from '../config.ts';

/** Steps of a run that share one step program. */
export interface Phase {
  /** The first step, counted from 0. */
  readonly from: number;
  /** The first step after it. */
  readonly until: number;
  /** The run's configuration with the structures and the negatives of these steps. */
  readonly config: TrainingConfig;
}

/**
 * The phases of a run, in their order: `complexFrom` brings the structures other than 1p, `negatives.allFrom` the
 * comparison with all entities.
 *
 * None is empty, neighbours differ, and together they are all steps.
 */
export function phasesOf(config: TrainingConfig): readonly [Phase, ...Phase[]] {
  const { batch, negatives, steps } = config;
  const isLinksAlone = Object.entries(batch).every(([structure, count]) => structure === '1p' || count === 0);
  const complexAt = isLinksAlone ? 0 : Math.ceil(config.complexFrom * steps);
  const allAt = negatives.kind === 'all' ? steps : Math.ceil(negatives.allFrom * steps);
  const borders = [...new Set([0, complexAt, allAt])].filter((at) => at < steps).sort((a, b) => a - b);
  const [first, ...others] = borders.map(
    (from, place): Phase => ({
      from,
      until: borders[place + 1] ?? steps,
      config: {
        ...config,
        batch: from < complexAt ? linksOf(batch) : batch,
        negatives: from < allAt ? negatives : { ...negatives, kind: 'all' },
      },
    }),
  );
  // 0 is always a border, as a run has a step.
  return [first!, ...others];
}

function linksOf({ '1p': links }: TrainingConfig['batch']): TrainingConfig['batch'] {
  return links === undefined ? {} : { '1p': links };
}
