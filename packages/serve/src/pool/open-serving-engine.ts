import { join } from 'node:path';
import type { BundleSource } from '@fuzzqe/bundle';
import { type FuzzError, type Steps, shareGraph } from '@fuzzqe/core';
import {
  aFunction,
  anything,
  atLeast,
  type BundleEngine,
  type BundleOptions,
  bundleForms,
  changeable,
  checkOptions,
  createEngine,
  createGoldenCheck,
  createIndexedRanker,
  createLocalRanker,
  createQueuedRanker,
  type EntityIndex,
  has,
  type IndexState,
  integerIn,
  type OpenBundle,
  type OptionForm,
  oneOf,
  openBundle,
  planKinds,
  type QueuedRanker,
  type Ranker,
} from '@fuzzqe/engine';
import { runAmongCandidates } from '@fuzzqe/engine/ranker';
import { folderSource } from '../bundle-source.ts';
import { type DeviceName, deviceNames } from '../device.ts';
import { probeDevice } from '../probe-device.ts';
import { mostThreads, nodeSessions } from '../session.ts';
import {
  checkedLane,
  type PoolOptions,
  rankOnOwnThreads,
  rankOnThreads,
  startThreads,
} from './pooled-ranker.ts';
import type { ThreadPool } from './thread-pool.ts';

/** Opens the index in which a bundle's answers in mode `embedding` are found; `onState` hears when it goes away and when it is back. */
export type OpenIndex = (
  bundle: Pick<OpenBundle, 'manifest' | 'profileName'>,
  onState?: (state: IndexState, error?: FuzzError) => void,
) => Promise<EntityIndex>;

/** How a bundle is opened for many callers. */
export interface ServingOptions extends BundleOptions, Omit<PoolOptions, 'log' | 'verify'> {
  /** `auto` takes the first of cuda, webgpu and cpu that works here. Default `cpu`. */
  readonly device?: DeviceName | 'auto';
  /** Threads that bundles share, which the engine leaves running when it closes. Default: threads of its own. */
  readonly pool?: ThreadPool;
  /** Default: every entity is ranked. */
  readonly openIndex?: OpenIndex;
  /** Hears, in one line, of every device that was tried in vain, and of what the runtime refuses. Default: standard error. */
  readonly log?: (line: string) => void;
}

const forms: Readonly<Record<keyof ServingOptions, OptionForm>> = {
  ...bundleForms,
  // These where they are used.
  directory: anything,
  workers: anything,
  waitingLimit: anything,
  waitingTime: anything,
  script: anything,
  pool: ['a pool of threads, as startThreads makes it', (value) => has(value, 'take')],
  lanes: integerIn(1, mostThreads),
  device: oneOf('auto', ...deviceNames),
  batchSize: integerIn(1, 2 ** 16),
  cacheBytes: atLeast(0),
  plan: oneOf('auto', ...planKinds),
  openIndex: aFunction,
  log: aFunction,
};

type HeardOptions = ServingOptions & Required<Pick<ServingOptions, 'log'>>;

/**
 * Opens a bundle for many callers: queries wait in one queue and are answered in batches, on the CPU by a pool of worker
 * threads, on any other device by one set of sessions with larger batches. Its graphs are open.
 *
 * @throws FuzzError `usage`: an option. As `openBundle` and `createPooledRanker`.
 * @example
 * const engine = await openServingEngine({ directory: 'bundle', device: 'auto' });
 */
export async function openServingEngine(given: ServingOptions): Promise<BundleEngine> {
  checkOptions(given, forms);
  const { log = (line) => process.stderr.write(`${line}\n`) } = given;
  const options = { ...given, log };
  const source = folderSource(options.directory);
  // They load their modules while this thread reads the bundle.
  const isShared = options.pool !== undefined;
  const threads = options.pool ?? ((options.device ?? 'cpu') === 'cpu' ? startThreads(options) : undefined);
  let engine: BundleEngine;
  try {
    engine = await openOn(source, options, threads);
  } catch (cause) {
    // A thread that is left would keep the process.
    if (!isShared) await threads?.close();
    throw cause;
  }
  // Its graphs are open; memory for a search that may never come is not taken.
  if (isShared) return engine;
  try {
    await engine.ranker.warmUp();
  } catch (cause) {
    await engine.close();
    throw cause;
  }
  // The first search would wait for it; readiness does not.
  setTimeout(() => {
    if (engine.ready) prepareBetween(engine.vocabulary.prepareSearch());
  }, 500).unref();
  return engine;
}

async function openOn(
  source: BundleSource,
  options: HeardOptions,
  threads: ThreadPool | undefined,
): Promise<BundleEngine> {
  const opened = await openBundle(source, { ...options, sharedFacts: true });
  const bundle = changeable({ ...opened, facts: shareGraph(opened.facts) });
  const rankOn = options.pool === undefined ? rankOnOwnThreads : rankOnThreads;
  const device = await deviceOf(options, join(options.directory, bundle.profile.operators.negation.path));
  const ranker =
    device === 'cpu'
      ? await rankOn(bundle, options, threads ?? startThreads(options))
      : await rankOnDevice(bundle, options, device);
  return createEngine(bundle, await withIndex(ranker, bundle, options));
}

/** The ranker, or one that asks an index before it; where that cannot be, both are closed. */
async function withIndex(
  ranker: QueuedRanker,
  bundle: OpenBundle,
  { openIndex }: ServingOptions,
): Promise<Ranker> {
  if (openIndex === undefined) return ranker;
  let index: Awaited<ReturnType<OpenIndex>> | undefined;
  try {
    index = await openIndex(bundle);
    const { entityCount, relationCount } = bundle.facts;
    return createIndexedRanker(ranker, index, { entityCount, relationCount });
  } catch (cause) {
    await Promise.all([ranker.close(), index?.close()]);
    throw cause;
  }
}

/** Does work a few milliseconds in a turn of the event loop; requests, which have turns of their own, do not wait for the rest. */
function prepareBetween(steps: Steps<void>): void {
  const until = performance.now() + 4;
  try {
    while (performance.now() < until) if (steps.next().done === true) return;
  } catch {
    // The first search tries it again, and says what is wrong.
    return;
  }
  setImmediate(() => prepareBetween(steps));
}

async function deviceOf({ device = 'cpu', log }: HeardOptions, graph: string): Promise<DeviceName> {
  if (device !== 'auto') return device;
  for (const candidate of ['cuda', 'webgpu'] as const) {
    const reason = await probeDevice(candidate, graph);
    if (reason === undefined) return candidate;
    log(`${candidate} is not available: ${reason}`);
  }
  return 'cpu';
}

/** One plan holds the weights once on the device; a larger batch costs it hardly more. */
async function rankOnDevice(
  bundle: OpenBundle,
  {
    directory,
    plan = 'operators',
    batchSize = 128,
    waitingLimit,
    waitingTime,
    cacheBytes = 0,
    log,
  }: HeardOptions,
  device: DeviceName,
): Promise<QueuedRanker> {
  const sessions = nodeSessions(directory, { device });
  const run = runAmongCandidates(bundle);
  const ranker = createLocalRanker({ ...bundle, run }, { sessions, plan, batchSize, cacheBytes, log });
  return createQueuedRanker({
    open: async () => checkedLane({ ranker }, await createGoldenCheck(bundle)),
    batchSize,
    ...(waitingLimit === undefined ? {} : { waitingLimit }),
    ...(waitingTime === undefined ? {} : { waitingTime }),
  });
}
