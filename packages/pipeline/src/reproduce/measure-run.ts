import { join } from 'node:path';
import type { Dataset, SampledQueries } from '@fuzzqe/data';
import { type CounterExample, checkLaws, type LawFinding } from '@fuzzqe/parity';
import { openCalibration } from '../evaluation/calibrate-run.ts';
import type { CandidateModel } from '../evaluation/candidate-model.ts';
import { compareModels } from '../evaluation/compare-models.ts';
import { modelsOfRun } from '../evaluation/models-of-run.ts';
import { readSavedRules, type SavedCalibration, saveRules } from '../evaluation/saved-calibration.ts';
import { exportRun } from '../export-run.ts';
import type { SeedFigures } from './reproduction.ts';
import { sharedRules } from './shared-rules.ts';
import { lawDraws, type ReproducedTable } from './table-kinds.ts';
import { timeAnswers } from './time-answers.ts';

/** What every row of a table is measured on. */
export interface MeasuredData {
  /** The folder of the rules of the training facts, which all rows share. */
  readonly shared: string;
  readonly dataset: Dataset;
  readonly part: 'valid' | 'test';
  readonly queries: readonly SampledQueries[];
  readonly threads: number;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress: (what: string, unit: string, done: number, total: number) => void;
}

/** A trained run, and what it is measured on. */
export interface MeasuredRun extends MeasuredData {
  /** The folder of the run. */
  readonly run: string;
  readonly name: string;
  /** Validation queries, for the golden answers of a bundle. */
  readonly valid: readonly SampledQueries[];
  readonly seed: number;
}

/** Figures of a run in one mode. */
export type ModeFigures = Pick<SeedFigures, 'figures' | 'examples'> & { readonly mode: string };

/** Measures a run for a table, in each mode that it has. */
export function measureRun(table: ReproducedTable, task: MeasuredRun): Promise<readonly ModeFigures[]> {
  return measures[table](task);
}

const measures: Readonly<Record<ReproducedTable, (task: MeasuredRun) => Promise<readonly ModeFigures[]>>> = {
  accuracy: rankAnswers,
  links: rankAnswers,
  laws: tryLaws,
  times: async (task) => timeAnswers(task, await exported(task)),
};

/** No table shows how far degrees are right, so few are judged. */
const judged = 0.02;

/** Calibrates a run, with the rules that all rows share. */
async function calibrated(task: MeasuredRun): Promise<SavedCalibration> {
  const { run, dataset, threads, onProgress, signal } = task;
  const { train } = dataset.graphs();
  if ((await readSavedRules(run, train)) === undefined)
    await saveRules(run, await sharedRules(task, train), train);
  return openCalibration({ run, dataset, threads, judged, onProgress, signal });
}

async function rankAnswers(task: MeasuredRun): Promise<readonly ModeFigures[]> {
  await calibrated(task);
  const { run, dataset, part, threads, signal } = task;
  return rankedFigures(task, modelsOfRun(run, dataset, { split: part, threads, signal }));
}

/** MRR of each structure, of models that are each in a mode of its own. */
export async function rankedFigures(
  { dataset, part, queries, onProgress, signal }: MeasuredData,
  models: readonly CandidateModel[],
): Promise<readonly ModeFigures[]> {
  const modeOf = new Map(models.map(({ name, mode }) => [name, mode]));
  const { columns } = await compareModels({
    ...{ dataset, split: part, queries, models, baselines: false },
    onProgress: (name, done, total) =>
      onProgress(`Evaluating mode ${modeOf.get(name)}`, 'queries', done, total),
    ...(signal === undefined ? {} : { signal }),
  });
  return columns.map(({ mode, name, metrics: { structures } }) => ({
    mode: mode ?? name,
    figures: Object.fromEntries(Object.entries(structures).map(([structure, { mrr }]) => [structure, mrr])),
  }));
}

/** Exports the bundle of a run, next to the run. */
async function exported(task: MeasuredRun): Promise<string> {
  const calibration = await calibrated(task);
  const { run, dataset, name, seed, valid, signal } = task;
  const directory = join(run, 'bundle');
  await exportRun({
    ...{ run, dataset, calibration, directory, name, seed, valid },
    ...{ metrics: {}, facts: 'train', profiles: ['fp32'], measured: 1 },
    ...(signal === undefined ? {} : { signal }),
  });
  return directory;
}

async function tryLaws(task: MeasuredRun): Promise<readonly ModeFigures[]> {
  const { laws } = await checkLaws({
    bundle: await exported(task),
    choices: lawDraws,
    seed: task.seed,
    onProgress: (done, total) => task.onProgress('Trying', 'laws', done, total),
    ...(task.signal === undefined ? {} : { signal: task.signal }),
  });
  return (['embedding', 'sets'] as const).map((mode) => {
    const tried = laws.flatMap((law): [string, LawFinding][] => {
      const finding = law[mode];
      return finding === undefined ? [] : [[law.numeral, finding]];
    });
    const examples = tried.flatMap(([numeral, { broken }]) =>
      broken === undefined ? [] : [[numeral, exampleText(broken)]],
    );
    return {
      mode,
      figures: Object.fromEntries(
        tried.map(([numeral, { broken }]) => [numeral, broken === undefined ? 1 : 0]),
      ),
      ...(examples.length === 0 ? {} : { examples: Object.fromEntries(examples) }),
    };
  });
}

/** The queries of a counter-example, and the values of both sides of the law. */
function exampleText({ queries, entity, sides, left, right }: CounterExample): string {
  const named = queries.map((query, i) => `${'abc'[i]} = ${query}`);
  return `${named.join('; ')}: for ${entity}, ${sides[0]} has ${left} and ${sides[1]} has ${right}`;
}
