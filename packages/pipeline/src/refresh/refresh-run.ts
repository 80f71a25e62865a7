import { readdir, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { graphDigest, type Manifest, parseManifest } from '@fuzzqe/bundle';
import { expectOptions, FuzzError } from '@fuzzqe/core';
import {
  applyChanges,
  carryQueries,
  type Dataset,
  type DatasetQueries,
  type FactChanges,
  hashDataset,
  type KeptSplit,
  type KeyedChange,
  keepSplit,
  laterIds,
  type NewNames,
  queryFileOf,
  queryParts,
  readDataset,
  readQueryFileOf,
  writeDataset,
} from '@fuzzqe/data';
import { inVersionFolder, type ProfileName, replaceFolder } from '@fuzzqe/export';
import { copyNew, lockFolder, pathExists, readWholeFile, writeFileWhole } from '@fuzzqe/files';
import { carryRun, readRunState, recordedTrainingConfig, refreshConfig } from '@fuzzqe/train';
import { expectSameGraph } from '../evaluation/expect-same-graph.ts';
import { type PipelineOptions, pipeline, pipelineFolders } from '../pipeline.ts';
import { type FigureChange, figureChanges } from './figure-changes.ts';
import { planRefresh, type RefreshPlan, type RefreshRecord, recordFileOf } from './refresh-record.ts';

/** What is refreshed, by which facts, and where the next version goes. */
export interface RefreshOptions
  extends Pick<PipelineOptions, 'threads' | 'runtime' | 'runtimes' | 'onEvent' | 'signal'> {
  /** A folder of `pipeline` or `fuzzqe run`, or of a training run. */
  readonly run: string;
  /** The data set that a training run was trained on; a folder of `pipeline` has its own. */
  readonly earlierData?: string | undefined;
  /** The folder of the changed data set, or changes of facts since the run's own data set. */
  readonly changed: string | Iterable<KeyedChange>;
  /** Entities and relations that changes of facts create: those with facts become entities and relations of the run. */
  readonly creates?: NewNames | undefined;
  /** Does nothing unless at least this share of the facts changed. In [0, 1]; default 0. */
  readonly when?: number | undefined;
  /** Steps as a share of those of the first training. In (0, 1]; default 0.1. */
  readonly share?: number | undefined;
  /** The next version goes to `<repository>/<name>/<version>`. Default: the bundle in the folder of `pipeline` is replaced. */
  readonly repository?: string | undefined;
  /** What to call the bundle. Default: as the bundle before, else as the data set. */
  readonly name?: string | undefined;
  /** Hears where the refresh lies when it begins. */
  readonly onBegin?: (begun: RefreshBegun) => void;
}

/** A refresh that begins. */
export interface RefreshBegun {
  readonly out: string;
  readonly changes: FactChanges;
  /** Whether an earlier call left it unfinished. */
  readonly isContinued: boolean;
  readonly steps: number;
}

/** What a refresh came to. */
export interface RefreshResult {
  /** Facts added and removed and links judged, as a share of the facts before. */
  readonly changedShare: number;
  readonly changes: FactChanges;
  /** Undefined if too few facts changed. */
  readonly refreshed:
    | {
        readonly out: string;
        /** The folder with the next version. */
        readonly bundle: string;
        readonly figures: readonly FigureChange[];
        readonly manifest: Manifest;
      }
    | undefined;
}

/**
 * Trains a run for some more steps on its changed graph, and makes the next version of its bundle.
 *
 * Facts keep their parts (`keepSplit`), parameters go over by keys (`carryRun`), test and validation queries stay and get the
 * answers of the changed facts. Rules, evidence and calibration are made anew. The next version is published when its parity was
 * checked. A call that was stopped goes on; the same facts and seed give the same bytes.
 *
 * @throws FuzzError `checkpoint`: the run has no checkpoint, or no training made it, or the data set is not that of the run.
 *   `data`: another graph, or a name that changes of facts have and do not create. What `pipeline` throws.
 * @example
 * const { refreshed } = await refreshRun({ run: 'runs/mine', changed: 'data/mine-today', when: 0.02 });
 */
export async function refreshRun(options: RefreshOptions): Promise<RefreshResult> {
  expectOptions('refreshRun', options, ['run', 'changed']);
  const { when = 0, share = 0.1, signal, onBegin } = options;
  expectShare('when', when, when >= 0 && when <= 1);
  expectShare('share', share, share > 0 && share <= 1);
  const plan = await planRefresh(options.run, options.earlierData);
  // Before anything is read: a folder that is no run says so.
  const state = await readRunState(plan.from.run);
  const parent = recordedTrainingConfig(state.config, join(plan.from.run, 'state.json'));
  const earlier = await readDataset(plan.from.data);
  expectSameGraph(plan.from.run, await graphDigest(earlier.graphs().train), state.data.sha256);
  const { kept, isContinued } = await changedGraph(plan, earlier, options, parent.seed);
  const { changes } = kept;
  const changed = changes.added + changes.removed + changes.judged;
  const changedShare = changed / Math.max(1, changes.kept + changes.removed);
  if (changed === 0 || (changedShare < when && !isContinued))
    return { changedShare, changes, refreshed: undefined };

  const lock = await lockFolder(plan.all);
  try {
    const { out } = plan;
    const folders = pipelineFolders(out);
    const wholeSteps = plan.record?.wholeSteps ?? state.last?.step ?? 0;
    const config = refreshConfig(parent, Math.max(1, Math.ceil(share * wholeSteps)));
    const { graph, ...ids } = { graph: kept.dataset.graphs().train, ...kept.earlier };
    const start = await carryRun(plan.from.run, { graph, config, ...ids });
    if (!isContinued) {
      await rm(out, { recursive: true, force: true });
      await writeDataset(folders.data, kept.dataset, await queriesFor(plan.from.data, earlier, kept));
    }
    onBegin?.({ out, changes, isContinued, steps: config.steps });
    const before = plan.from.bundle === undefined ? undefined : await manifestOf(plan.from.bundle);
    const name = options.name ?? before?.name ?? kept.dataset.name;
    const { threads, runtime, runtimes, onEvent } = options;
    const { engine, manifest } = await pipeline({
      ...{ triples: folders.data, out, name, config, start, steps: config.steps },
      ...(before === undefined ? {} : asBefore(before)),
      ...(threads === undefined ? {} : { threads }),
      ...(runtime === undefined ? {} : { runtime }),
      ...(runtimes === undefined ? {} : { runtimes }),
      ...(onEvent === undefined ? {} : { onEvent }),
      ...(signal === undefined ? {} : { signal }),
    });
    await engine.close();
    const figures = await figureChanges(
      { run: plan.from.run, folder: plan.from.data, dataset: earlier },
      { run: folders.run, folder: folders.data, dataset: kept.dataset },
      {
        ...{ ids: kept.earlier, threads: threads ?? Math.min(4, availableParallelism()), signal },
        onProgress: (model, done, total) =>
          onEvent?.({
            ...({ kind: 'progress', stage: 'evaluate', unit: 'queries' } as const),
            ...{ what: `Comparing ${model}`, done, total },
          }),
      },
    );
    const bundle = await publish(folders.bundle, { ...options, name }, plan);
    const record: RefreshRecord = {
      ...({ format: 'fuzzqe-refresh', version: 1 } as const),
      ...{ origin: start.origin.checkpoint, wholeSteps, changes, figures },
    };
    await writeFileWhole(recordFileOf(out), `${JSON.stringify(record, null, 2)}\n`);
    return { changedShare, changes, refreshed: { out, bundle, manifest, figures } };
  } finally {
    await lock.release();
  }
}

function expectShare(name: string, value: number, fits: boolean): void {
  if (fits) return;
  throw new FuzzError(
    'range',
    `${name}: expected a share in ${name === 'when' ? '[0, 1]' : '(0, 1]'}, got ${value}`,
    {
      hint: 'A share is a number such as 0.02.',
    },
  );
}

/** The changed graph in the earlier split; an unfinished refresh of it is continued. */
async function changedGraph(
  { out }: RefreshPlan,
  earlier: Dataset,
  { changed, creates }: Pick<RefreshOptions, 'changed' | 'creates'>,
  seed: number,
): Promise<{ readonly kept: KeptSplit; readonly isContinued: boolean }> {
  const { data } = pipelineFolders(out);
  const there = (await pathExists(data)) ? await readDataset(data) : undefined;
  // Facts that came since then are for the next refresh.
  if (typeof changed !== 'string' && there !== undefined)
    return {
      kept: keepSplit(earlier, { ...there, rejected: there.rejected ?? new Int32Array() }),
      isContinued: true,
    };
  const kept =
    typeof changed === 'string'
      ? keepSplit(earlier, await readDataset(changed))
      : keepChanges(earlier, applyChanges(earlier, changed, { seed, creates }));
  return { kept, isContinued: there !== undefined && hashDataset(there) === hashDataset(kept.dataset) };
}

/** As `keepSplit`, for changes that say nothing of parts: no fact was in another part. */
function keepChanges(earlier: Dataset, changed: Dataset): KeptSplit {
  const kept = keepSplit(earlier, changed);
  return { ...kept, changes: { ...kept.changes, restored: 0 } };
}

/** The queries of the data set before, with the answers of the changed facts. */
async function queriesFor(
  folder: string,
  earlier: Dataset,
  { dataset, earlier: ids }: KeptSplit,
): Promise<DatasetQueries> {
  const { entities, relations } = laterIds(ids, earlier.vocabulary);
  const { train, trainValid, full } = dataset.graphs();
  const graphs = {
    train: { smaller: train },
    valid: { smaller: train, larger: trainValid },
    test: { smaller: trainValid, larger: full },
  };
  const carried: { -readonly [Part in keyof DatasetQueries]: DatasetQueries[Part] } = {};
  for (const part of queryParts) {
    if (!(await pathExists(queryFileOf(folder, part)))) continue;
    const { queries } = await readQueryFileOf(folder, earlier, part);
    carried[part] = carryQueries(queries, { entities, relations, ...graphs[part] });
  }
  return carried;
}

async function manifestOf(bundle: string): Promise<Manifest | undefined> {
  const path = join(bundle, 'manifest.json');
  if (!(await pathExists(path))) return undefined;
  return parseManifest(JSON.parse((await readWholeFile(path)).toString('utf8')));
}

/** The profiles of a bundle, and which facts it records. */
function asBefore({ profiles, training }: Manifest): Pick<PipelineOptions, 'profiles' | 'facts'> {
  return {
    // A manifest has no other profiles than those that are exported.
    profiles: Object.keys(profiles) as ProfileName[],
    facts: training['facts'] === undefined ? 'train' : 'all',
  };
}

/** Puts the bundle where it is served; gives the folder. */
async function publish(
  bundle: string,
  { repository, name }: Pick<RefreshOptions, 'repository'> & { readonly name: string },
  { root }: RefreshPlan,
): Promise<string> {
  const copyTo = async (folder: string): Promise<string> => {
    await replaceFolder(folder, (temporary) => copyFiles(bundle, temporary));
    return folder;
  };
  if (repository !== undefined) return inVersionFolder({ repository, name }, copyTo);
  return root.bundle === undefined ? bundle : copyTo(root.bundle);
}

async function copyFiles(from: string, to: string): Promise<void> {
  for (const file of await readdir(from)) await copyNew(join(from, file), join(to, file));
}
