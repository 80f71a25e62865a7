import { isOpenEnded, type TrainingConfig } from '../config.ts';
import { type LastStretch, latestStretch } from '../optimiser/schedule.ts';

/** Steps of a run that share one step program. */
export interface Phase {
  /** The first step, counted from 0. */
  readonly from: number;
  /** The first step after it. */
  readonly until: number;
  /** The run's configuration with the structures and the negatives of these steps. */
  readonly config: TrainingConfig;
  /** The last stretch of a run with an open end, in the phase that is it. */
  readonly stretch?: LastStretch;
}

/**
 * The phases of a run, in their order: `complexFrom` brings the structures other than 1p, `negatives.allFrom` the
 * comparison with all entities.
 *
 * None is empty, neighbours differ, and together they are all steps. With an open end they are the steps before the latest last
 * stretch, or once that is known those up to its end; their shares are of `steps` all the same.
 */
export function phasesOf(config: TrainingConfig, stretch?: LastStretch): readonly [Phase, ...Phase[]] {
  const { batch, negatives, steps } = config;
  const end = stretch?.until ?? (isOpenEnded(config) ? latestStretch(steps) : steps);
  const isLinksAlone = Object.entries(batch).every(([structure, count]) => structure === '1p' || count === 0);
  const complexAt = isLinksAlone ? 0 : Math.ceil(config.complexFrom * steps);
  const allAt = negatives.kind === 'all' ? steps : Math.ceil(negatives.allFrom * steps);
  const borders = [...new Set([0, complexAt, allAt, stretch?.from ?? 0])]
    .filter((at) => at < end)
    .sort((a, b) => a - b);
  const [first, ...others] = borders.map(
    (from, place): Phase => ({
      from,
      until: borders[place + 1] ?? end,
      config: {
        ...config,
        batch: from < complexAt ? linksOf(batch) : batch,
        negatives: from < allAt ? negatives : { ...negatives, kind: 'all' },
      },
      ...(stretch === undefined || from < stretch.from ? {} : { stretch }),
    }),
  );
  // 0 is always a border, as a run has a step.
  return [first!, ...others];
}

function linksOf({ '1p': links }: TrainingConfig['batch']): TrainingConfig['batch'] {
  return links === undefined ? {} : { '1p': links };
}
