import { type Manifest, modesOf } from '@fuzzqe/bundle';
import { asEntityId, asRelationId, FuzzError, messageOf, type NameEntry } from '@fuzzqe/core';
import { entity, project } from '@fuzzqe/core/query';
import {
  type BundleOptions,
  createLocalRanker,
  javascriptSessions,
  type OpenBundle,
  openBundle,
  type Ranker,
} from '@fuzzqe/engine';
import { fetchSource } from '../bundle-source.ts';
import { versionOf } from '../precompiled.ts';
import { rankerWith } from '../ranker-with.ts';
import type { OpenCall, SentBundle, WorkerEvent } from './browser-messages.ts';
import { checkedOnDevice, type WorkerBundle } from './checked-on-device.ts';
import { createEarlySessions } from './early-sessions.ts';
import { createEarlySource, type EarlySource } from './early-source.ts';
import { expectBegun } from './expect-begun.ts';
import { messageWithPath } from './message-with-path.ts';
import { type OpenRuntime, openRuntime } from './open-runtime.ts';
import { releasingRanker } from './releasing-ranker.ts';
import { cacheStorage } from './runtime-module.ts';

/** Loads what lets a bundle grow: few pages need the code. */
export type LoadGrowth = () => Promise<typeof import('./overlay/grow-bundle.ts')>;

/** Opens a bundle and the runtime that its graphs run on: before the first answer, or after it. */
export async function openInWorker(
  call: OpenCall,
  post: (event: WorkerEvent) => void,
  loadGrowth: LoadGrowth,
): Promise<WorkerBundle> {
  const onUncached = (cause: unknown): void => {
    const message = `the runtime is not kept: ${messageOf(cause)}`;
    post({ event: 'warning', warning: { code: 'cache', message } });
  };
  const caches = cacheStorage(call.cache, onUncached);
  const listening = {
    caches,
    onUncached,
    onProgress: (done: number, of: number) =>
      post({ event: 'progress', progress: { stage: 'runtime', done, of } }),
  };
  const found = openFiles(call, caches, post);
  const files = call.grows ? { ...found, opening: grown(found.opening, loadGrowth) } : found;
  const { runtime } = call;
  if (runtime !== 'javascript' && (runtime === 'webgpu' || call.firstAnswers === 'runtime'))
    return openOnRuntime(call, files, openRuntime({ ...call, runtime }, listening), post);
  if (runtime === 'javascript') return openInJavascript(call, files, undefined, post);
  return openInJavascript(call, files, () => openRuntime({ ...call, runtime }, listening), post);
}

/** A bundle whose facts and names may change. */
async function grown(opening: Promise<OpenBundle>, loadGrowth: LoadGrowth): Promise<OpenBundle> {
  const [bundle, { growBundle }] = await Promise.all([opening, loadGrowth()]);
  return growBundle(bundle);
}

/** Opens a bundle on a runtime that is being loaded at the same time. */
async function openOnRuntime(
  call: OpenCall,
  { source, opening }: OpeningFiles,
  beginning: Promise<OpenRuntime>,
  post: (event: WorkerEvent) => void,
): Promise<WorkerBundle> {
  const { runtime, warmUp, wasm } = call;
  const [{ sessions, ort, keep, discard }, bundle] = await Promise.all([beginning, opening]);
  // Each session holds a copy of its weights: one graph for every structure.
  const local = createLocalRanker(bundle, { sessions, plan: 'edge' });
  // Where nothing is warm, graphs come one by one.
  const ranker = warmUp === 'none' ? local : releasingRanker(local, sessions.releaseWeights);
  postNames(call, bundle, post);
  const opened: WorkerBundle =
    runtime === 'wasm'
      ? { bundle, ranker, lost: new Promise(() => undefined) }
      : checkedOnDevice(bundle, ranker, ort);
  try {
    if (warmUp !== 'none') {
      const warm = opened.ranker.warmUp(warmUp === 'both' ? undefined : warmUp);
      await expectBegun(warm, wasm, versionOf(ort));
    }
  } catch (error) {
    // What does not begin to run may be a damaged copy.
    if (isDamage(error)) await discard();
    throw error;
  }
  await keep();
  await source.keep?.(bundle.manifest);
  return opened;
}

/** Opens a bundle in plain JavaScript; a runtime begins after the first answer and goes on from there, with all graphs of the mode that is to be warm. */
async function openInJavascript(
  call: OpenCall,
  { source, opening }: OpeningFiles,
  begin: (() => Promise<OpenRuntime>) | undefined,
  post: (event: WorkerEvent) => void,
): Promise<WorkerBundle> {
  const { warmUp } = call;
  const mode = warmUp === 'both' ? undefined : warmUp;
  let runtime: OpenRuntime | undefined;
  let hasFailed = false;
  const warn = (cause: unknown): void => {
    hasFailed = true;
    const message = `JavaScript instead of WebAssembly: ${messageWithPath(cause)}`;
    post({ event: 'warning', warning: { code: 'wasm', message } });
    // What does not begin to run may be a damaged copy.
    if (isDamage(cause)) void runtime?.discard();
  };
  const early =
    begin &&
    createEarlySessions(async () => {
      runtime = await begin();
      return runtime.sessions;
    }, warn);
  const bundle = await opening;
  let isWarm = false;
  const local = releasingRanker(
    createLocalRanker(bundle, { sessions: early ?? javascriptSessions(), plan: 'edge' }),
    () => {
      if (isWarm) runtime?.sessions.releaseWeights();
    },
  );
  postNames(call, bundle, post);
  if (warmUp === 'sets' && modesOf(bundle.manifest).includes('sets')) await openLinks(local);
  else if (mode !== 'none') await local.warmUp(mode);
  await source.arrived();
  await source.keep?.(bundle.manifest);
  const ranker = early
    ? beginningAfter(local, async () => {
        await early.begin();
        if (hasFailed) return;
        await runtime?.keep();
        // Anyone who needs one that cannot be opened hears of it.
        if (mode === 'none') return;
        await local.warmUp(mode).catch(() => undefined);
        // Until then graphs that move over, or are opened for an answer, have the same weights.
        isWarm = true;
        runtime?.sessions.releaseWeights();
      })
    : local;
  return { bundle, ranker, lost: new Promise(() => undefined) };
}

/** Opens the graph of links, by its first run. */
async function openLinks(ranker: Ranker): Promise<void> {
  await ranker.rank([{ task: 'degrees', query: project(asRelationId(0), entity(asEntityId(0))) }]);
}

/** Milliseconds until the runtime begins: after an answer, which the page shows first, and where nothing is asked. */
const begins = { afterAnswer: 100, afterOpening: 1000 } as const;

/** A ranker whose runtime begins after its first answer, or when that does not come. */
function beginningAfter(ranker: Ranker, begin: () => Promise<void>): Ranker {
  let beginning: Promise<void> | undefined;
  const began = (): Promise<void> => {
    beginning ??= begin();
    return beginning;
  };
  const later = (delay: number): void => {
    if (beginning === undefined) setTimeout(() => ranker.ready && void began(), delay);
  };
  later(begins.afterOpening);
  return rankerWith(ranker, {
    async rank(batch, limits) {
      const results = await ranker.rank(batch, limits);
      later(begins.afterAnswer);
      return results;
    },
    async warmUp(mode) {
      await began();
      await ranker.warmUp(mode);
    },
  });
}

/** Whether the file of the runtime may be damaged: not where it lacks memory for a moment. */
function isDamage(cause: unknown): boolean {
  return cause instanceof FuzzError && cause.code === 'runtime' && !cause.passing;
}

function postNames({ opened }: OpenCall, bundle: OpenBundle, post: (event: WorkerEvent) => void): void {
  if (opened === undefined) for (const entries of entityNames(bundle)) post({ event: 'names', entries });
}

/** Refuses another bundle than the one whose names and facts the page has. */
function expectOpened({ address, opened }: OpenCall, { sha256 }: Pick<Manifest, 'sha256'>): void {
  if (opened === undefined || sha256 === opened) return;
  throw new FuzzError('bundle', `expected the bundle ${opened} that was opened, got ${sha256}`, {
    path: address,
    hint: 'The bundle at this address was replaced meanwhile: open it again.',
  });
}

/** The files of a bundle that is being opened. */
interface OpeningFiles {
  readonly source: EarlySource;
  readonly opening: Promise<OpenBundle>;
}

/** Opens a bundle, and begins to read its files once its manifest is there. */
function openFiles(
  call: OpenCall,
  caches: CacheStorage | undefined,
  post: (event: WorkerEvent) => void,
): OpeningFiles {
  const { address, headers, warmUp } = call;
  const bytesOf = new Map<string, number>();
  let of = 0;
  const tell = (): void => {
    let done = 0;
    for (const bytes of bytesOf.values()) done += bytes;
    post({ event: 'progress', progress: { stage: 'bundle', done, of: Math.max(done, of) } });
  };
  const fetched = fetchSource(address, {
    headers,
    httpCache: true,
    ...(caches === undefined ? {} : { caches }),
    onProgress({ path, bytes }) {
      bytesOf.set(path, bytes);
      if (of > 0) tell();
    },
    onWarning: ({ code, message }) =>
      post({ event: 'warning', warning: { code: code === 'storage' ? 'cache' : 'offline', message } }),
  });
  const source = createEarlySource(fetched);
  const accept: BundleOptions['accept'] = (manifest, profile) => {
    expectOpened(call, manifest);
    of = source.begin(manifest, profile, warmUp);
    tell();
  };
  return { source, opening: openBundle(source, { ...call.bundle, accept }) };
}

/** How many names a message has: reading them takes the page 10 ms or less. */
const namesInMessage = 4096;

function* entityNames({ vocabulary }: OpenBundle): Generator<readonly NameEntry[]> {
  const { entityCount } = vocabulary;
  for (let from = 0; from < entityCount; from += namesInMessage) {
    const length = Math.min(namesInMessage, entityCount - from);
    yield Array.from({ length }, (_, i) => vocabulary.entity(from + i));
  }
}

/** What the page needs of a bundle in addition to the names of entities. */
export function sentBundle({ manifest, profileName, vocabulary, facts }: OpenBundle): SentBundle {
  return {
    manifest,
    profileName,
    relations: Array.from({ length: vocabulary.relationCount / 2 }, (_, i) => {
      const { inverse: _inverse, ...entry } = vocabulary.relation(2 * i);
      return entry;
    }),
    prefixes: vocabulary.prefixes,
    index: facts.index,
  };
}
