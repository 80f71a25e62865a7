import { join } from 'node:path';
import { type StructureName, structureNames } from '@fuzzqe/core/query';
import { pathExists } from '@fuzzqe/files';
import { bestValidation, type RunResult, type Validation } from '@fuzzqe/train';
import { type MeanAndDeviation, meanAndDeviation } from '../evaluation/format-seeds.ts';
import { seedFolder } from '../evaluation/open-models.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { type TrainingTask, trainWithProgress } from './train-with-progress.ts';

/** Runs that differ in their seed alone, each by its best validation. */
export interface SeedsResult {
  readonly ended: 'finished' | 'interrupted';
  readonly runs: readonly (Validation & {
    readonly seed: number;
    readonly directory: string;
    readonly ended: RunResult['ended'];
    readonly step: number;
  })[];
  /** Absent where no run has ended. */
  readonly mrr?: MeanAndDeviation;
  readonly structures: Readonly<Partial<Record<StructureName, MeanAndDeviation>>>;
}

/**
 * Trains once with each seed, in `seed-<seed>` of the task's folder, one after the other.
 *
 * With `resume`, runs that have begun go on and the others start. When it is told to stop it gives what it has.
 */
export async function trainSeeds(
  terminal: Terminal,
  task: TrainingTask,
  seeds: readonly number[],
): Promise<SeedsResult> {
  const runs: SeedsResult['runs'][number][] = [];
  let ended: SeedsResult['ended'] = 'finished';
  for (const seed of seeds) {
    const directory = seedFolder(task.directory, seed);
    const begun = await pathExists(join(directory, 'state.json'));
    terminal.note(`Seed ${seed} in ${directory}`);
    const result = await trainWithProgress(terminal, {
      ...task,
      directory,
      config: { ...task.config, seed },
      resume: task.resume && begun,
    });
    if (result.ended === 'interrupted') {
      ended = 'interrupted';
      break;
    }
    // Seeds are trained only where there is something to validate on.
    const { step, mrr, structures } = (await bestValidation(directory, result.state.best))!;
    runs.push({ seed, directory, ended: result.ended, step, mrr, structures });
  }
  const structures = structureNames.flatMap((name) => {
    const values = runs.flatMap((run) => run.structures[name] ?? []);
    return values.length === 0 ? [] : [[name, meanAndDeviation(values)] as const];
  });
  return {
    ended,
    runs,
    ...(runs.length === 0 ? {} : { mrr: meanAndDeviation(runs.map(({ mrr }) => mrr)) }),
    structures: Object.fromEntries(structures),
  };
}

/** The mean and its deviation as lines for a person. */
export function describeSeeds({ runs, mrr, structures }: SeedsResult): string[] {
  const percent = ({ mean, deviation }: MeanAndDeviation): string =>
    `${(100 * mean).toFixed(1)}${deviation === null ? '' : ` ± ${(100 * deviation).toFixed(1)}`}`;
  const rows = Object.entries({ ...(mrr === undefined ? {} : { mean: mrr }), ...structures });
  return [
    `Best validation MRR % of ${runs.length} seeds (${runs.map(({ seed }) => seed).join(', ')}), mean ± standard deviation:`,
    ...rows.map(([name, each]) => `  ${name.padEnd(5)} ${percent(each)}`),
  ];
}
