import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FuzzError, openChangedGraph } from '@fuzzqe/core';
import {
  checkForms,
  costSizeOf,
  createGoldenCheck,
  createLikelyRanker,
  createQueuedRanker,
  createRecordedFirst,
  estimateCost,
  estimatePatternCost,
  estimateRecordedCost,
  estimateScoringCost,
  type GoldenCheck,
  graphsOf,
  integerIn,
  type Lane,
  type OpenBundle,
  type PlanChoice,
  type QueuedRanker,
  type QueueOptions,
} from '@fuzzqe/engine';
import { linksAmongOf, rankAllOf } from '@fuzzqe/engine/derived';
import { comparedRows, runAmongCandidates } from '@fuzzqe/engine/ranker';
import { mostThreads, nodeSessions } from '../session.ts';
import { type LaneReason, spreadLanes } from './spread-lanes.ts';
import { type RankerThread, startRankerThread, type WorkerBundle } from './thread-lane.ts';
import { createThreadPool, type ThreadPool } from './thread-pool.ts';

/** How many threads rank, and how requests wait for them. */
export interface PoolOptions extends Pick<QueueOptions, 'batchSize' | 'waitingLimit' | 'waitingTime'> {
  /** Where the bundle is. */
  readonly directory: string;
  /** Worker threads; 0 ranks in this one. Default: as many as there are cores. */
  readonly workers?: number;
  /** How many bytes of fuzzy sets of parts of queries all threads together keep for later queries. Default 0: none. */
  readonly cacheBytes?: number;
  /** Which graphs embed. Default `operators`: they gather few matrices at a time, and a thread has few sessions. */
  readonly plan?: PlanChoice;
  /** On how many threads the bundle is opened at first; while these are busy, it is opened on others. Default: on all. */
  readonly lanes?: number;
  /** The script that the threads run. Default: that of this package. */
  readonly script?: URL;
  /** Whether what a thread opens that takes the place of another is compared with the manifest. Default true. */
  readonly verify?: boolean;
  /** Hears, once a line, of what the runtime refuses and can be done without. Default: nobody. */
  readonly log?: (line: string) => void;
}

/**
 * Ranks on worker threads, each with sessions of one thread, behind one queue.
 *
 * Weights are mapped into memory once for all threads, and the index of the facts is shared as `shareGraph` made it. No thread
 * answers callers before one of them has answered golden cases of every structure. A thread that ends is replaced, and the other
 * one answers these cases first. Run from TypeScript sources, where no compiled script lies next to this file, it ranks in this
 * thread.
 *
 * @throws FuzzError `bundle`: graphs that are not those of the manifest. `usage`: no number of threads. `runtime`: a thread
 * or a graph cannot be opened. `parity`: golden cases that come out wrong.
 */
export async function createPooledRanker(bundle: OpenBundle, options: PoolOptions): Promise<QueuedRanker> {
  return rankOnOwnThreads(bundle, options, startThreads(options));
}

/**
 * Starts the threads of a pool, which load their modules while this one reads the bundle; none where bundles rank in this thread.
 *
 * @throws FuzzError `usage`: no number of threads.
 */
export function startThreads({
  workers = availableParallelism(),
  script = ownScript(),
  log,
}: Pick<PoolOptions, 'workers' | 'script' | 'log'>): ThreadPool {
  const forms = { workers: integerIn(0, mostThreads) };
  checkForms({ workers }, forms, 'usage', '$', 'Leave it out for one a core.');
  // A thread instead of another has the same to say.
  const say = onceEach(log);
  if (script === undefined || workers === 0) return createThreadPool(0, noThread);
  return createThreadPool(workers, () => startRankerThread(script, say));
}

/** As `createPooledRanker`, on threads that were started for this bundle, which end with the ranker. */
export async function rankOnOwnThreads(
  bundle: OpenBundle,
  options: PoolOptions,
  threads: ThreadPool,
): Promise<QueuedRanker> {
  const ranker = await rankOnThreads(bundle, options, threads).catch(async (cause: unknown) => {
    await threads.close();
    throw cause;
  });
  let closing: Promise<void> | undefined;
  return Object.defineProperties({} as QueuedRanker, {
    ...Object.getOwnPropertyDescriptors(ranker),
    close: {
      enumerable: true,
      value: () => {
        closing ??= ranker.close().then(threads.close);
        return closing;
      },
    },
  });
}

/** Passes on each line once: threads have the same to say. */
function onceEach(log: (line: string) => void = () => undefined): (line: string) => void {
  const said = new Set<string>();
  return (line) => {
    if (said.has(line)) return;
    said.add(line);
    log(line);
  };
}

/** As `createPooledRanker`, on the threads of a pool, on which other bundles may be open. */
export async function rankOnThreads(
  bundle: OpenBundle,
  options: PoolOptions,
  threads: ThreadPool,
): Promise<QueuedRanker> {
  const { plan = 'operators', batchSize = 32, cacheBytes = 0, lanes = threads.size } = options;
  const { waitingLimit, waitingTime, verify = true, log } = options;
  const { source, manifest, profile, profileName, facts, entailed, axioms, evidence } = bundle;
  const directory = resolve(options.directory);
  const rankAll = await rankAllOf(source, profile);
  const linksAmong = await linksAmongOf(source, profile, manifest.model);
  const seal = `${manifest.sha256} ${profileName} ${plan}`;
  const check = threads.passed.has(seal) ? undefined : await createGoldenCheck({ ...bundle, rankAll });
  const queue = {
    batchSize,
    ...requestCosts(bundle),
    ...(waitingLimit === undefined ? {} : { waitingLimit }),
    ...(waitingTime === undefined ? {} : { waitingTime }),
  };
  if (threads.size === 0) {
    const sessions = nodeSessions(directory);
    const ranker = createLikelyRanker(
      { ...bundle, rankAll, linksAmong, run: runAmongCandidates(bundle) },
      { sessions, plan, batchSize, cacheBytes, log },
    );
    return await createQueuedRanker({ ...queue, open: () => checkedLane({ ranker }, check) });
  }
  const files = [...graphsOf(profile, plan)].flatMap(({ path, weights }) => [path, ...weights]);
  const checked = [...new Set(files)];
  for (const path of checked) await source.verify?.(path);
  const { entityCount, relationCount, index, confidences, validity } = facts;
  const shared: WorkerBundle = {
    directory,
    manifest,
    profileName,
    facts: { entityCount, relationCount, index, confidences, validity },
    entailed: entailed && { entityCount, relationCount, index: entailed.index },
    axioms,
    evidence,
    rankAll,
    linksAmong,
    plan,
    batchSize,
    cacheBytes: Math.floor(cacheBytes / threads.size),
    checked,
    verify,
  };
  let isChecked = false;
  const open = async (thread: RankerThread, why: LaneReason): Promise<Lane> => {
    const isFirst = !isChecked;
    isChecked = true;
    // The first lane is checked for all of the start: no lane answers before all are open.
    if (why === 'start') return checkedLane(thread.open(shared), isFirst ? check : undefined);
    // Long after: files may have changed since they were compared.
    const lane = thread.open({ ...shared, checked: [] });
    return checkedLane(lane, why === 'instead' ? await createGoldenCheck({ ...bundle, rankAll }) : undefined);
  };
  const ranker = await createQueuedRanker({ ...queue, ...spreadLanes({ threads, lanes, open }) });
  threads.passed.add(seal);
  return ranker;
}

/** Gives a ranker that has its graphs open and answered golden cases; closes any other. */
export async function checkedLane(lane: Lane, check?: GoldenCheck): Promise<Lane> {
  try {
    await lane.ranker.warmUp();
    await check?.(lane.ranker);
    return lane;
  } catch (cause) {
    await lane.ranker.close();
    throw cause;
  }
}

/** What it takes to fold in an entity, in milliseconds of one core. */
const foldingCost = 50;

/** What it takes at least to hand a request to a thread, in milliseconds of one core. */
const leastCrossing = 0.03;

/** What requests to a ranker of a bundle cost, in milliseconds of one core, by the facts that came last, and what these facts answer in this thread. */
function requestCosts({
  manifest: { model, sets },
  facts,
}: OpenBundle): Required<Pick<QueueOptions, 'costOf' | 'onFollow' | 'answerHere'>> {
  let size = costSizeOf(model, sets.projection, facts);
  let recordedFirst = createRecordedFirst(facts, model.logic);
  let now = 0;
  return {
    onFollow(epoch) {
      const { index } = epoch.grown ?? facts;
      const changed = openChangedGraph({ ...epoch, index }, epoch);
      size = costSizeOf(model, sets.projection, changed);
      recordedFirst = createRecordedFirst(changed, model.logic);
      now = epoch.epoch;
    },
    answerHere(request) {
      const isOfNow = request.epoch === undefined || request.epoch === now;
      return isOfNow && request.task === 'sets' && estimateRecordedCost(request.query, size) < leastCrossing
        ? recordedFirst(request)
        : undefined;
    },
    costOf(request) {
      if (request.task === 'score') return estimateScoringCost(request.ids.length, size);
      if (request.task === 'fold') return foldingCost * request.entities.length;
      if (request.task === 'pattern') return estimatePatternCost(request.plan, request, size);
      const { task, query } = request;
      if (task === 'recorded') return estimateRecordedCost(query, size);
      const mode = task === 'embedding' || task === 'embed' ? 'embedding' : 'sets';
      const k = 'k' in request ? request.k : 1;
      const isIndexed = 'tails' in request && request.tails !== undefined;
      const ranked = isIndexed ? Math.min(comparedRows, size.entities) : size.entities;
      return estimateCost(query, { mode, k, explain: task === 'explain' }, Object.assign(size, { ranked }));
    },
  };
}

function noThread(): never {
  throw new FuzzError('usage', 'a pool without threads starts no thread');
}

function ownScript(): URL | undefined {
  // Node 20 runs no TypeScript, so only compiled code has a script for threads.
  const script = new URL('./ranker-worker.js', import.meta.url);
  return existsSync(fileURLToPath(script)) ? script : undefined;
}
