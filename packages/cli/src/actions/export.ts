import { createRandom, FuzzError } from '@fuzzqe/core';
import type { Manifest } from '@fuzzqe/core/bundle';
import type { StructureName } from '@fuzzqe/core/query';
import { type Dataset, queryRow, readDataset, type SampledQueries } from '@fuzzqe/data';
import {
  type ExportProgress,
  exportBundle,
  type GoldenQuery,
  inVersionFolder,
  type ProfileName,
  type RecordedFacts,
  randomGoldenQueries,
  type ValidationQuery,
} from '@fuzzqe/export';
import { loadBest } from '@fuzzqe/train';
import type { ExportFlags } from '../commands/export.ts';
import { keptEvaluations } from '../runs/kept-evaluations.ts';
import { interruptible } from '../terminal/interrupt.ts';
import type { NextCommand } from '../terminal/next-command.ts';
import { createProgress } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { readQueryPart } from './data/query-files.ts';

/** Golden queries of each structure in a bundle, and how many entities each of them lists. */
const goldenPerStructure = 4;
const goldenK = 10;
/** Validation queries of each structure that a profile is measured on, unless the task says otherwise. */
const measuredPerStructure = 20;

/** Does `fuzzqe export`. */
export async function exportModel(terminal: Terminal, run: string, flags: ExportFlags): Promise<NextCommand> {
  const dataset = await readDataset(flags.data);
  const valid = await readQueryPart(flags.data, dataset, 'valid').catch(() => []);
  const name = flags.name ?? dataset.name;
  const { directory, manifest } = await interruptible(terminal, (signal) =>
    inOutput(flags, name, async (directory) => {
      const manifest = await exportRun({
        run,
        dataset,
        valid,
        directory,
        name,
        metrics: await keptEvaluations(run),
        seed: flags.seed,
        ...(flags.profile === undefined ? {} : { profiles: flags.profile }),
        measured: flags.queries,
        facts: flags.facts,
        ...(flags.maxBytes === undefined ? {} : { maxBytes: flags.maxBytes }),
        signal,
        onProgress: showProgress(terminal),
      });
      return { directory, manifest };
    }),
  );
  if (flags.json) terminal.out(JSON.stringify(manifest));
  else describeExport(directory, manifest).forEach(terminal.note);
  return ['parity', directory];
}

/** Does the work in the folder that the flags name. Throws: 'usage' where they name none, or two. */
function inOutput<T>(
  { out, repository, bundleVersion: version }: ExportFlags,
  name: string,
  work: (directory: string) => Promise<T>,
): Promise<T> {
  if (repository !== undefined && out === undefined)
    return inVersionFolder({ repository, name, ...(version === undefined ? {} : { version }) }, work);
  if (out !== undefined && repository === undefined && version === undefined) return work(out);
  throw new FuzzError('usage', 'expected --out, or --repository with or without --bundle-version', {
    hint: 'Give --out FOLDER, or --repository FOLDER for a new version in FOLDER/<name>.',
  });
}

/** What is counted in each stage of an export. */
const stages: Readonly<Record<ExportProgress['stage'], readonly [title: string, unit: string]>> = {
  weights: ['Writing weights', 'relations'],
  golden: ['Answering golden queries', 'profiles'],
  quality: ['Measuring profiles', 'queries'],
};

function showProgress(terminal: Terminal): (progress: ExportProgress) => void {
  const shown = new Map<string, ReturnType<typeof createProgress>>();
  return ({ stage, done, total }) => {
    const progress = shown.get(stage) ?? createProgress(terminal, ...stages[stage]);
    shown.set(stage, progress);
    progress.update(done, total);
  };
}

/** What was written, and a line for each profile beside fp32. */
export function describeExport(directory: string, { files, profiles }: Manifest): string[] {
  const bytes = Object.values(files).reduce((sum, file) => sum + file.bytes, 0);
  return [
    `Wrote ${directory}: ${Object.keys(files).length} files, ${formatBytes(bytes)}`,
    ...Object.entries(profiles).map(([name, { bytes: own = 0, quality }]) => {
      if (quality === undefined || 'reason' in quality) return `  ${name}: ${formatBytes(own)}`;
      const points = (100 * quality.mrrChange).toFixed(2);
      return `  ${name}: ${formatBytes(own)}; on ${quality.queries} validation queries MRR changes by ${points} points, overlap@10 is ${quality.overlap10.toFixed(4)}`;
    }),
  ];
}

/** What `exportRun` needs. */
export interface ExportTask {
  readonly run: string;
  readonly dataset: Dataset;
  /** Where golden queries are taken from; random ones stand in for structures that it lacks. */
  readonly valid: readonly SampledQueries[];
  readonly directory: string;
  readonly name: string;
  readonly metrics: Readonly<Record<string, unknown>>;
  readonly seed: number;
  /** Default: `fp32`. */
  readonly profiles?: readonly ProfileName[];
  /** Which facts are recorded. Default: `train`. */
  readonly facts?: 'train' | 'all';
  readonly maxBytes?: number;
  /** Validation queries of each structure that profiles are measured on; by default a few. */
  readonly measured?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ExportProgress) => void;
}

/** Exports the best parameters of a run. */
export async function exportRun(task: ExportTask): ReturnType<typeof exportBundle> {
  const { state, parameters } = await loadBest(task.run);
  const stand = randomGoldenQueries(state.model, goldenPerStructure, createRandom('golden', task.seed));
  const taken = task.valid.flatMap(goldenQueriesOf);
  const covered = new Set<StructureName>(taken.map(({ structure }) => structure));
  return exportBundle({
    directory: task.directory,
    name: task.name,
    config: state.model,
    parameters,
    vocabulary: task.dataset.vocabulary,
    graph: task.dataset.graphs().train,
    data: state.data,
    training: { ...state.config, step: state.best?.step },
    metrics: task.metrics,
    goldenQueries: [...taken, ...stand.filter(({ structure }) => !covered.has(structure))],
    k: Math.min(goldenK, state.model.entities),
    profiles: task.profiles ?? ['fp32'],
    validation: task.valid.flatMap((part) =>
      validationQueriesOf(part, task.measured ?? measuredPerStructure),
    ),
    ...(task.facts === 'all' ? recordedFacts(task.dataset) : {}),
    ...(task.maxBytes === undefined ? {} : { maxBytes: task.maxBytes }),
    ...(task.signal === undefined ? {} : { signal: task.signal }),
    ...(task.onProgress === undefined ? {} : { onProgress: task.onProgress }),
  });
}

/** The facts of all parts; nothing where no part is held out, since the training facts are all then. */
function recordedFacts(dataset: Dataset): { readonly recorded?: RecordedFacts } {
  const parts = (['train', 'valid', 'test'] as const).filter((part) => dataset[part].length > 0);
  return parts.length === 1 ? {} : { recorded: { graph: dataset.graphs().full, parts, trained: ['train'] } };
}

function goldenQueriesOf(queries: SampledQueries): GoldenQuery[] {
  return Array.from({ length: Math.min(goldenPerStructure, queries.count) }, (_, row) => {
    const { anchors, relations } = queryRow(queries, row);
    return { structure: queries.structure, anchors: Array.from(anchors), relations: Array.from(relations) };
  });
}

function validationQueriesOf(queries: SampledQueries, most: number): ValidationQuery[] {
  return Array.from({ length: Math.min(most, queries.count) }, (_, row) => queryRow(queries, row))
    .filter(({ hard }) => hard.length > 0)
    .map(({ anchors, relations, easy, hard }) => ({
      structure: queries.structure,
      anchors: Array.from(anchors),
      relations: Array.from(relations),
      easy: Array.from(easy),
      hard: Array.from(hard),
    }));
}

/** `4.2 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1e3) return `${bytes} B`;
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(0)} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`;
}
