import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { type Manifest, manyEntities } from '@fuzzqe/bundle';
import { FuzzError } from '@fuzzqe/core';
import {
  countQueries,
  type Dataset,
  isSourceAddress,
  ownSetName,
  type QuerySetSizes,
  type QuerySets,
  queryFileOf,
  sourceName,
} from '@fuzzqe/data';
import { type Engine, openEngine } from '@fuzzqe/engine';
import { checkProfiles, type ProfileName } from '@fuzzqe/export';
import { expectWritable, hashFile, pathExists } from '@fuzzqe/files';
import { expectParity, type ParityMatrix, type ParityRuntimeName, runParity } from '@fuzzqe/parity';
import { folderSource, nodeSessions } from '@fuzzqe/serve';
import {
  defaultTraining,
  fitBatch,
  isLinksAlone,
  minutesFor,
  openDevice,
  presets,
  type RunStart,
  refitRun,
  type TrainingConfig,
  type TrainingRuntime,
} from '@fuzzqe/train';
import { checkPipelineOptions } from './check-pipeline-options.ts';
import { openCalibration } from './evaluation/calibrate-run.ts';
import { isAnswerMode } from './evaluation/candidate-model.ts';
import { type Comparison, type ComparisonTask, compareModels } from './evaluation/compare-models.ts';
import { modelsOfRun } from './evaluation/models-of-run.ts';
import { readSavedRules } from './evaluation/saved-calibration.ts';
import { createSavedEvaluation, readCardMetrics, saveEvaluation } from './evaluation/saved-evaluations.ts';
import { exportRun, exportStageLabels, type FactsChoice } from './export-run.ts';
import { openDataset, type PipelineImport } from './open-dataset.ts';
import { openQuerySets } from './open-query-sets.ts';
import type { PipelineEvent, PipelineStage } from './pipeline-event.ts';
import { trainRun } from './training/train-run.ts';

/** From where to where, and how. Everything but the triples has a default. */
export interface PipelineOptions {
  /** A file or folder that `fuzzqe data import` reads, or a data set, or its folder with the queries that lie in it. */
  readonly triples: string | Dataset;
  /** How to read a file or folder of triples, where its path does not say it: names, licence, what to hold out. */
  readonly import?: PipelineImport;
  /** Where `data`, `run` and `bundle` go. Default: `runs/<name>`. A folder that a call left unfinished is continued. */
  readonly out?: string;
  /** What to call the data set and the bundle. Default: the name of the file, or that of the data set. */
  readonly name?: string;
  /** Default: that of `defaultTraining` for the size of the graph. */
  readonly config?: TrainingConfig;
  /** Instead of those of `config`. */
  readonly steps?: number;
  /** Minutes that training may take, its last validation and checkpoint included. Default: 15 where neither `steps` nor `config` says when it ends. */
  readonly minutes?: number;
  /** Instead of that of `config`; it is that of the split and the queries, too. */
  readonly seed?: number;
  /**
   * How many queries of each structure to sample, for parts that the folder has no queries of; training takes none where it learns links alone.
   * Default: those of the preset `countries`, with 100 test queries of more than 32 768 entities.
   */
  readonly queries?: QuerySetSizes;
  /** Where training begins, as `carryRun` gives it. Default: at fresh parameters. */
  readonly start?: RunStart;
  /** What trains. Default: the CPU. */
  readonly runtime?: TrainingRuntime;
  /** They change no result. Default: four, or as many as there are. */
  readonly threads?: number;
  /** In which forms the bundle stores the model; the engine takes the first. Default: `fp32`. */
  readonly profiles?: readonly ProfileName[];
  /**
   * Which facts the bundle records, and so calls known: those that were trained on, or those held out, too. Default: `all` where the
   * split is drawn here, `train` where it is given.
   */
  readonly facts?: FactsChoice;
  /** Whether to train once more on all facts, for as many steps as were best: the bundle has those parameters. Default false. */
  readonly refit?: boolean;
  /** On which runtimes the bundle must answer as it should. Default: onnxruntime-node and onnxruntime-web. */
  readonly runtimes?: readonly ParityRuntimeName[];
  readonly onEvent?: (event: PipelineEvent) => void;
  /** Ends at the next safe place, with the error 'interrupted'; the same call then goes on. */
  readonly signal?: AbortSignal;
}

/** What a pipeline made. */
export interface PipelineResult {
  readonly folders: PipelineFolders;
  readonly dataset: Dataset;
  readonly queries: QuerySets;
  /** On the test queries, with baselines; undefined where the data set holds out no test facts. */
  readonly evaluation: Comparison | undefined;
  readonly manifest: Manifest;
  readonly parity: ParityMatrix;
  /** Opened on the bundle; to be closed by who asked for it. */
  readonly engine: Engine;
}

/** Where a pipeline puts what it makes. */
export interface PipelineFolders {
  /** The data set with its queries: what `fuzzqe train` takes. */
  readonly data: string;
  /** The training run: what `fuzzqe evaluate` and `fuzzqe export` take. */
  readonly run: string;
  /** What `fuzzqe serve` takes. */
  readonly bundle: string;
}

/**
 * From triples to answers: imports a graph and holds facts out, samples queries, trains, evaluates with baselines,
 * exports a bundle, verifies it on the present runtimes and opens it.
 *
 * The same triples, configuration and seed give the same bundle. A stage whose results lie in `out` is not repeated, and
 * training goes on from its last checkpoint.
 *
 * @throws FuzzError `usage`: the options, or `out` holds another graph, other labels or another licence of it, or other queries. `storage`: nothing can be written in `out`. `data`: the triples, or a graph too small for queries.
 *   `checkpoint`: `out` holds a run with another configuration. `parity`: a runtime answers something else.
 *   `interrupted`: the signal was raised.
 * @example
 * const { engine } = await pipeline({ triples: 'triples.tsv' });
 * const { answers } = await engine.answer(parseQueryText('project(likes, Ann)', engine.vocabulary));
 * await engine.close();
 */
export async function pipeline(options: PipelineOptions): Promise<PipelineResult> {
  checkPipelineOptions(options);
  const { triples, signal, onEvent = () => {}, profiles = ['fp32'] } = options;
  if (options.refit === true && options.facts === 'train')
    throw new FuzzError('usage', 'refit: expected all facts to be recorded, got train', {
      path: '$.facts',
      hint: 'Leave one of them out: what was trained on all facts knows them all.',
    });
  const name = options.name ?? nameOf(triples);
  if (name.trim() === '') throw nameless();
  const folders = pipelineFolders(options.out ?? defaultOutput(name));
  const seed = options.seed ?? options.config?.seed ?? presets.links.training.seed;
  const threads = options.threads ?? Math.min(4, availableParallelism());
  const begin = (stage: PipelineStage): void => {
    if (signal?.aborted) throw stopped(`before the stage ${stage}`);
    onEvent({ kind: 'begin', stage });
  };
  const stop = signal === undefined ? {} : { signal };
  const counting =
    (stage: PipelineStage, what: string, unit: string) =>
    (done: number, total: number): void =>
      onEvent({ kind: 'progress', stage, what, unit, done, total });

  begin('import');
  await expectWritable(folders.data);
  const onProgress = counting('import', 'Reading', 'bytes');
  const dataset = await openDataset(folders.data, triples, {
    name,
    seed,
    importing: options.import,
    onProgress,
    ...stop,
  });
  onEvent({ kind: 'end', stage: 'import', dataset });

  const training = options.config ?? defaultTraining(dataset.vocabulary.entityCount);
  const config = { ...training, seed, steps: options.steps ?? training.steps };
  // The export would refuse it, after the training.
  const { entityCount: entities, relationCount: relations } = dataset.vocabulary;
  checkProfiles({ ...config.model, entities, relations }, profiles);
  const sizes = options.queries ?? usualSizes(entities);

  begin('sample');
  const queries = await openQuerySets(folders.data, dataset, {
    sizes: isLinksAlone(config) ? { ...sizes, train: 0, trainNegation: 0 } : sizes,
    seed,
    workers: threads - 1,
    onProgress: counting('sample', 'Sampling', 'queries'),
    ...stop,
  });
  onEvent({ kind: 'end', stage: 'sample', queries });

  begin('train');
  const task = {
    directory: folders.run,
    dataset,
    queries,
    runtime: options.runtime ?? openDevice('cpu', { threads }),
    ...stop,
  };
  const trained = await trainRun({
    ...task,
    threads,
    config: fitBatch(config, queries.train).config,
    resume: await pathExists(join(folders.run, 'state.json')),
    minutes: minutesFor(config, options),
    start: options.start,
    onStep: (at) => onEvent({ kind: 'step', stage: 'train', ...at }),
    onValidation: (at) => onEvent({ kind: 'validation', stage: 'train', ...at }),
  });
  if (trained.ended === 'interrupted') throw stopped(`at training step ${trained.step}`);
  onEvent({ kind: 'end', stage: 'train', result: trained });

  begin('calibrate');
  const calibration = await openCalibration({
    run: folders.run,
    dataset,
    threads,
    onProgress: (what, unit, done, total) => counting('calibrate', what, unit)(done, total),
    ...stop,
  });
  onEvent({ kind: 'end', stage: 'calibrate', calibration });

  begin('evaluate');
  const evaluation =
    queries.test.length === 0
      ? undefined
      : await evaluateRun(folders, dataset, queries, {
          threads,
          onProgress: (model, done, total) =>
            counting('evaluate', `Evaluating ${model}`, 'queries')(done, total),
          ...stop,
        });
  onEvent({ kind: 'end', stage: 'evaluate', evaluation });

  begin('refit');
  const refit =
    options.refit === true
      ? await refitRun({
          ...task,
          onStep: (at) => onEvent({ kind: 'step', stage: 'refit', ...at }),
        })
      : undefined;
  if (refit?.ended === 'interrupted') throw stopped(`at step ${refit.step} of the training on all facts`);
  onEvent({ kind: 'end', stage: 'refit', result: refit });

  begin('export');
  const manifest = await exportRun({
    run: folders.run,
    dataset,
    valid: queries.valid,
    calibration,
    directory: folders.bundle,
    name,
    metrics: await readCardMetrics(folders.run),
    seed,
    profiles,
    facts: options.facts,
    onProgress: ({ stage, done, total }) => counting('export', ...exportStageLabels[stage])(done, total),
    ...stop,
  });
  onEvent({ kind: 'end', stage: 'export', manifest });

  begin('parity');
  const parity = await runParity({
    bundle: folders.bundle,
    runtimes: options.runtimes ?? ['node', 'web'],
    fresh: 2,
    trees: 10,
    seed,
    onProgress: counting('parity', 'Comparing', 'answers'),
    ...stop,
  });
  onEvent({ kind: 'end', stage: 'parity', parity });
  expectParity(parity);

  const engine = await openEngine({
    source: folderSource(folders.bundle),
    sessions: nodeSessions(folders.bundle),
    profile: profiles[0]!,
  });
  return { folders, dataset, queries, evaluation, manifest, parity, engine };
}

/** Where a pipeline puts what it makes of these triples unless it is told. */
export function defaultOutput(triples: string | Dataset): string {
  return join('runs', nameOf(triples));
}

/**
 * Where a pipeline with this `out` puts what it makes.
 *
 * @example
 * const { bundle } = pipelineFolders('runs/mine'); // 'runs/mine/bundle'
 */
export function pipelineFolders(out: string): PipelineFolders {
  return { data: join(out, 'data'), run: join(out, 'run'), bundle: join(out, 'bundle') };
}

/** `places` for `graphs/places.tsv.gz`, and for `postgres://host/places?query=…`. */
function nameOf(triples: string | Dataset): string {
  if (typeof triples !== 'string') return triples.name;
  if (isSourceAddress(triples)) return sourceName(triples);
  const name = basename(triples);
  return name.slice(0, name.indexOf('.', 1) < 0 ? name.length : name.indexOf('.', 1));
}

/** How many queries of a structure are drawn: of many entities, 100 for the test take as long as 250 of a few thousand. */
function usualSizes(entities: number): QuerySetSizes {
  const { queries } = presets.countries;
  return entities > manyEntities ? { ...queries, test: 100 } : queries;
}

/** Evaluates a run on the test queries, and keeps the figures in its folder, for the model card. */
async function evaluateRun(
  { data, run }: PipelineFolders,
  dataset: Dataset,
  { test, own }: QuerySets,
  { threads, ...options }: Pick<ComparisonTask, 'onProgress' | 'signal'> & { readonly threads: number },
): Promise<Comparison> {
  const queries = [...test, ...own.test];
  const comparison = await compareModels({
    dataset,
    split: 'test',
    queries,
    rules: await readSavedRules(run, dataset.graphs().train),
    models: modelsOfRun(run, dataset, { threads, signal: options.signal }),
    ...options,
  });
  const path = queryFileOf(data, 'test');
  const set = await ownSetName(data, dataset, 'test');
  const counted = { path, sha256: await hashFile(path), count: countQueries(queries) };
  const file = set === undefined ? counted : { ...counted, set };
  const baselines = comparison.columns.filter(({ mode }) => mode === undefined);
  for (const measured of comparison.columns) {
    const { mode, checkpoint } = measured;
    if (!isAnswerMode(mode) || checkpoint === undefined) continue;
    const evaluated = { data: dataset.name, split: 'test', mode } as const;
    const kept = createSavedEvaluation(evaluated, file, measured, baselines, dataset.vocabulary);
    await saveEvaluation(run, kept, checkpoint);
  }
  return comparison;
}

function nameless(): FuzzError {
  return new FuzzError('usage', 'name: expected one, got none by the triples', {
    path: '$.name',
    hint: 'A server answers for a model by its name: give one as `name`.',
  });
}

function stopped(where: string): FuzzError {
  return new FuzzError('interrupted', `stopped ${where}`, { hint: 'The same call goes on from there.' });
}
