import { asEntityId, asRelationId, FuzzError, messageOf, type NameEntry } from '@fuzzqe/core';
import { type Manifest, modesOf } from '@fuzzqe/core/bundle';
import { entity, project } from '@fuzzqe/core/query';
import {
  type BundleOptions,
  createLocalRanker,
  type OpenBundle,
  openBundle,
  type Ranker,
} from '@fuzzqe/engine';
import { fetchSource } from '../bundle-source.ts';
import { versionOf } from '../precompiled.ts';
import type { OpenCall, SentBundle, WorkerEvent } from './browser-messages.ts';
import { checkedOnDevice, type WorkerBundle } from './checked-on-device.ts';
import { createEarlySource, type EarlySource } from './early-source.ts';
import { expectBegun } from './expect-begun.ts';
import type { KeptRuntime } from './kept-runtime.ts';
import { openRuntime } from './open-runtime.ts';
import { cacheStorage } from './runtime-module.ts';

/** Opens a bundle and, at the same time, the runtime that its graphs run on; `kept` is what somebody else has read of the latter. */
export async function openInWorker(
  call: OpenCall,
  post: (event: WorkerEvent) => void,
  kept: Promise<KeptRuntime>,
): Promise<WorkerBundle> {
  const { runtime, warmUp } = call;
  const onUncached = (cause: unknown): void => {
    const message = `the runtime is not kept: ${messageOf(cause)}`;
    post({ event: 'warning', warning: { code: 'cache', message } });
  };
  const caches = cacheStorage(call.cache, onUncached);
  const { source, accepted, opening } = openFiles(call, caches, post);
  // The graph that somebody waits for; known with the bundle, before any graph is opened.
  let first: string | undefined;
  const [{ sessions, ort, module, keep, discard }, bundle] = await Promise.all([
    openRuntime(call, {
      caches,
      kept,
      onUncached,
      onProgress: (done, of) => post({ event: 'progress', progress: { stage: 'runtime', done, of } }),
      asTheyAre: ({ path }) => path === first,
      // An image holds weights: those of files that nobody compared are no others' to begin with.
      firstOf: accepted.then((manifest) =>
        call.bundle.verify !== false && opensLinksFirst(call, manifest)
          ? `&bundle=${manifest.sha256}-${call.bundle.profile ?? ''}`
          : undefined,
      ),
    }),
    opening,
  ]);
  const isGradual = opensLinksFirst(call, bundle.manifest);
  if (isGradual) first = bundle.profile.links.path;
  // Each session holds a copy of its weights: one graph for every structure.
  const ranker = createLocalRanker(bundle, { sessions, plan: 'edge' });
  if (call.opened === undefined) for (const entries of entityNames(bundle)) post({ event: 'names', entries });
  const opened: WorkerBundle =
    runtime === 'wasm'
      ? { bundle, ranker: isGradual ? openingOthers(ranker) : ranker, lost: new Promise(() => undefined) }
      : checkedOnDevice(bundle, ranker, ort);
  try {
    if (isGradual) {
      await openLinks(ranker);
      await source.arrived();
    } else if (warmUp !== 'none') {
      const warm = opened.ranker.warmUp(warmUp === 'both' ? undefined : warmUp);
      await expectBegun(warm, call.wasm, versionOf(ort));
    }
  } catch (error) {
    // What does not begin to run may be a damaged copy, or have begun from one.
    if (error instanceof FuzzError && error.code === 'runtime' && !error.passing) await discard();
    throw error;
  }
  if ((await kept).code?.module !== module) post({ event: 'module', module });
  await keep();
  await source.keep?.(bundle.manifest);
  return opened;
}

/** One relation is answered by one graph: the others are opened after the first answer. A graphics processor is checked on all. */
function opensLinksFirst({ runtime, warmUp }: OpenCall, manifest: Manifest): boolean {
  return runtime === 'wasm' && warmUp === 'sets' && modesOf(manifest).includes('sets');
}

/** Opens the graph of links, by its first run. */
async function openLinks(ranker: Ranker): Promise<void> {
  await ranker.rank([{ task: 'degrees', query: project(asRelationId(0), entity(asEntityId(0))) }]);
}

/** A ranker that opens the graphs of sets after its first answer. */
function openingOthers(ranker: Ranker): Ranker {
  let begun = false;
  const begin = (): void => {
    if (begun || !ranker.ready) return;
    begun = true;
    // Whoever needs one that cannot be opened hears of it.
    ranker.warmUp('sets').catch(() => undefined);
  };
  return {
    ...ranker,
    get runtime() {
      return ranker.runtime;
    },
    get ready() {
      return ranker.ready;
    },
    async rank(batch, limits) {
      const results = await ranker.rank(batch, limits);
      setTimeout(begin, 0);
      return results;
    },
  };
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
  /** The manifest, before any other file has come. */
  readonly accepted: Promise<Manifest>;
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
  let accept: BundleOptions['accept'];
  const accepted = new Promise<Manifest>((settle) => {
    accept = (manifest, profile) => {
      expectOpened(call, manifest);
      of = source.begin(manifest, profile, warmUp);
      tell();
      settle(manifest);
    };
  });
  const opening = openBundle(source, { ...call.bundle, ...(accept && { accept }) });
  // What is not opened may have no manifest.
  return { source, accepted: Promise.race([accepted, opening.then(({ manifest }) => manifest)]), opening };
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

/** What the page needs of a bundle beside the names of entities. */
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
