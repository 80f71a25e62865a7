import type { Manifest } from '@fuzzqe/bundle';
import { asEntityId, asRelationId, FuzzError, openKnowledgeGraph, type Vocabulary } from '@fuzzqe/core';
import {
  aFunction,
  anObject,
  anything,
  aSignal,
  bundleForms,
  checkForms,
  checkOptions,
  createEngine,
  createQueuedRanker,
  type EngineBundle,
  flag,
  type OptionForm,
  oneOf,
} from '@fuzzqe/engine';
import { createVocabulary } from '@fuzzqe/names';
import { addressForm, addressHint } from '../bundle-source.ts';
import type { OpenCall } from './browser-messages.ts';
import type { BrowserEngine, BrowserOptions, BrowserRuntime, BrowserWarning } from './browser-options.ts';
import { checkPlatform } from './check-platform.ts';
import { chooseRuntime, chooseThreads } from './choose-runtime.ts';
import { messageWithPath } from './message-with-path.ts';
import type { OpenOverlay } from './overlay/open-overlay.ts';
import { type BundleWorker, startWorker } from './start-worker.ts';
import { createSwappingRanker } from './swapping-ranker.ts';

const { accept: _, ...ofBundles } = bundleForms;
const forms: Readonly<Record<keyof BrowserOptions, OptionForm>> = {
  ...ofBundles,
  runtime: oneOf('auto', 'wasm', 'webgpu', 'javascript'),
  firstAnswers: oneOf('javascript', 'runtime'),
  // By itself: more than the browser has are fewer, with a warning.
  threads: anything,
  warmUp: oneOf('sets', 'embedding', 'both', 'none'),
  signal: aSignal,
  onProgress: aFunction,
  onWarning: aFunction,
  headers: anObject,
  cache: flag,
  overlay: [
    'a name, true or false',
    (value) => typeof value === 'boolean' || (typeof value === 'string' && value !== ''),
  ],
  wasm: ['the address of a folder', addressForm[1]],
  worker: aFunction,
};

/** Loads what merges facts of one's own: few pages need the code. */
export type LoadOverlay = () => Promise<typeof import('./overlay/index.ts')>;

/** As `openBundle`, with the code of overlays and the default worker from elsewhere. */
export async function openBundleBy(
  loadOverlay: LoadOverlay,
  ownWorker: () => Worker,
  address: string | URL,
  options: BrowserOptions,
): Promise<BrowserEngine> {
  checkPlatform();
  checkForms({ address: address ?? null }, { address: addressForm }, 'usage', '$', addressHint);
  checkOptions(options, forms);
  const { runtime = 'auto', warmUp = 'sets', firstAnswers = 'javascript' } = options;
  const { worker = ownWorker, signal, onProgress, onWarning } = options;
  // What a listener throws is no fault of the opening.
  const warn = (warning: BrowserWarning): void => queueMicrotask(() => onWarning?.(warning));
  const threads = chooseThreads(options.threads, warn);
  const { profile, verify, requireSignature, cache = true, headers = {}, overlay: own = false } = options;
  const folder = folderUrl(options.wasm ?? new URL('.', import.meta.url));
  const shared: Omit<OpenCall, 'does' | 'runtime' | 'wasm' | 'opened'> = {
    address: new URL(address, location.href).href,
    headers,
    bundle: {
      ...(profile === undefined ? {} : { profile }),
      ...(verify === undefined ? {} : { verify }),
      ...(requireSignature === undefined ? {} : { requireSignature }),
    },
    threads,
    cache,
    warmUp,
    firstAnswers,
    grows: own !== false,
  };
  const open = (on: BrowserRuntime, opened?: string): Promise<BundleWorker> =>
    startWorker(
      worker,
      { ...shared, wasm: folder + wasmFiles[on], runtime: on, opened },
      { onProgress, onWarning },
      opened === undefined ? signal : undefined,
    );
  // Before a worker is there that would have to be ended.
  const [chosen, merging] = await Promise.all([
    chooseRuntime(runtime, firstAnswers === 'javascript', warn),
    own === false ? undefined : loadOverlay(),
  ]);
  const opening = open(chosen);
  const first = await (chosen === 'webgpu' && runtime === 'auto'
    ? opening.catch((error: unknown) => {
        if (!(error instanceof FuzzError) || !isOfRuntime(error)) throw error;
        warn({ code: 'webgpu', message: `WebAssembly instead of WebGPU: ${messageWithPath(error)}` });
        return open('wasm');
      })
    : opening);
  const swapping = createSwappingRanker(first, async (reason) => {
    warn({ code: 'device-lost', message: `WebAssembly from now on: ${reason}` });
    return open('wasm', first.sent!.manifest.sha256);
  });
  const ranker = await createQueuedRanker({
    batchSize: 16,
    // A page is its own only caller: nobody else is kept waiting.
    waitingLimit: Infinity,
    waitingTime: Infinity,
    open: async () => ({ ranker: swapping }),
  });
  const page = { ...pageBundle(first), textsOf: swapping.textsOf };
  const made = createEngine(
    merging === undefined ? withFewNames(page) : withFewNames(merging.changeableElsewhere(page)),
    ranker,
  );
  let overlay: OpenOverlay | undefined;
  const engine: BrowserEngine = {
    ...made,
    get overlay() {
      return overlay;
    },
    get facts() {
      return made.facts;
    },
    get epoch() {
      return made.epoch;
    },
    get runtime() {
      return made.runtime;
    },
    get ready() {
      return made.ready;
    },
    async changeNames(changes) {
      const changed = await made.changeNames(changes);
      await swapping.name(changes);
      return changed;
    },
    close() {
      overlay?.close();
      return made.close();
    },
    // Names are searched in the worker.
    warmUp: (mode) => ranker.warmUp(mode),
    async searchEntities(text, page) {
      const { total, results } = await swapping.search({ kind: 'entities', text, page });
      return { total, results: results.map((entry) => ({ ...entry, id: asEntityId(entry.id) })) };
    },
    async searchRelations(text, page) {
      const { total, results } = await swapping.search({ kind: 'relations', text, page });
      return { total, results: results.map((entry) => ({ ...entry, id: asRelationId(entry.id) })) };
    },
  };
  overlay = await merging?.openOverlay(engine, own === true ? made.manifest.name : `${own}`, warn);
  return engine;
}

/** Whether WebAssembly may do what WebGPU did not. */
function isOfRuntime({ code }: FuzzError): boolean {
  return code === 'runtime' || code === 'parity';
}

const wasmFiles: Readonly<Record<BrowserRuntime, string>> = {
  javascript: '',
  wasm: 'ort-wasm-simd-threaded.wasm',
  webgpu: 'ort-wasm-simd-threaded.asyncify.wasm',
};

/** With so many names or fewer, looking for near ones takes the page a few milliseconds. */
const fewNames = 2000;

function pageBundle({ sent }: BundleWorker): Omit<EngineBundle<Manifest>, 'textsOf'> {
  // The first worker was asked for it.
  const { manifest, profileName, entities, relations, prefixes, index } = sent!;
  return {
    manifest,
    profileName,
    vocabulary: createVocabulary({ entities, relations, prefixes }),
    facts: openKnowledgeGraph({ entityCount: entities.length, relationCount: 2 * relations.length, index }),
  };
}

/** The same bundle, which offers no near names where there are many. */
function withFewNames<Of extends { readonly vocabulary: Vocabulary }>(bundle: Of): Of {
  const { vocabulary } = bundle;
  return vocabulary.entityCount > fewNames ? { ...bundle, vocabulary: vocabulary.withoutNearNames } : bundle;
}

function folderUrl(folder: string | URL): string {
  const { href } = new URL(folder, location.href);
  return href.endsWith('/') ? href : `${href}/`;
}
