import { averages, type MetricsReport } from '@fuzzqe/core/ranking';
import { countQueries, type Dataset, type EarlierIds, queryFileOf, readQueryFileOf } from '@fuzzqe/data';
import { pathExists } from '@fuzzqe/files';
import { type AnswerMode, answerModes, type EvaluationMode } from '../evaluation/candidate-model.ts';
import { compareModels } from '../evaluation/compare-models.ts';
import { modelsOfRun } from '../evaluation/models-of-run.ts';
import { unchangedQueries } from './unchanged-queries.ts';

/** A figure on test queries before and after a refresh, as fractions. */
export interface FigureChange {
  /** As `MRR, queries without negation`. */
  readonly metric: string;
  readonly mode: AnswerMode;
  readonly data: string;
  /** How many queries it is the mean of; their answers are the same before and after. */
  readonly queries: number;
  readonly before: number;
  readonly after: number;
}

/** A fall of more than this is worth a warning. */
export const noticeableFall = 0.003;

/** A run with the data set that it was trained on. */
export interface MeasuredRun {
  readonly run: string;
  readonly folder: string;
  readonly dataset: Dataset;
}

/**
 * Ranks the test queries whose answers did not change by a run before, with its graph, and by the run after, with its own.
 *
 * Queries whose answers changed are left out: they are other tasks, easier or harder, whatever the model.
 */
export async function figureChanges(
  before: MeasuredRun,
  after: MeasuredRun,
  options: {
    readonly ids: EarlierIds;
    readonly threads: number;
    readonly signal?: AbortSignal | undefined;
    readonly onProgress?: (name: string, done: number, total: number) => void;
  },
): Promise<FigureChange[]> {
  const { ids, threads, signal, onProgress } = options;
  const each = [before, after];
  for (const { folder } of each) if (!(await pathExists(queryFileOf(folder, 'test')))) return [];
  const [was, is] = await Promise.all(
    each.map(async ({ folder, dataset }) => (await readQueryFileOf(folder, dataset, 'test')).queries),
  );
  const queries = unchangedQueries(was!, is!, ids);
  if (queries.after.length === 0) return [];
  const measured: ReadonlyMap<EvaluationMode, Figures>[] = [];
  for (const [place, { run, dataset }] of each.entries()) {
    const { columns } = await compareModels({
      ...{ dataset, split: 'test', baselines: false, models: modelsOfRun(run, dataset, { threads, signal }) },
      queries: place === 0 ? queries.before : queries.after,
      onProgress: (name, done, total) =>
        onProgress?.(`${name}, ${place === 0 ? 'before' : 'after'}`, done, total),
      ...(signal === undefined ? {} : { signal }),
    });
    measured.push(
      new Map(
        columns.flatMap(({ mode, metrics }) => (mode === undefined ? [] : [[mode, figuresOf(metrics)]])),
      ),
    );
  }
  const counts = new Map(queries.after.map((part) => [part.structure, countQueries([part])]));
  return answerModes.flatMap((mode) =>
    [...(measured[1]!.get(mode) ?? [])].map(([metric, { value, structures }]) => ({
      ...{ metric, mode, data: after.dataset.name },
      queries: structures.reduce((sum, name) => sum + (counts.get(name) ?? 0), 0),
      before: measured[0]!.get(mode)!.get(metric)!.value,
      after: value,
    })),
  );
}

type Figures = ReadonlyMap<string, { readonly value: number; readonly structures: readonly string[] }>;

/** Means over structures, and the figures of links. */
function figuresOf(report: MetricsReport): Figures {
  const figures = new Map<string, { readonly value: number; readonly structures: readonly string[] }>();
  for (const name of ['withoutNegation', 'withNegation'] as const) {
    const found = report[name];
    if (found === undefined) continue;
    const { structures } = found;
    figures.set(`MRR, ${averages[name].title}`, { value: found.mrr, structures });
    figures.set(`H@10, ${averages[name].title}`, { value: found.hits10, structures });
  }
  const links = report.structures['1p'];
  if (links !== undefined) {
    figures.set('MRR, 1p', { value: links.mrr, structures: ['1p'] });
    figures.set('H@10, 1p', { value: links.hits10, structures: ['1p'] });
  }
  return figures;
}
