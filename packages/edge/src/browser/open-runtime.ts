import type { GraphEntry } from '@fuzzqe/core/bundle';
import type { SessionFactory } from '@fuzzqe/engine';
import { env, InferenceSession, Tensor } from 'onnxruntime-web/wasm';
import { beginRuntime } from '../begin-runtime.ts';
import { versionOf, withModule } from '../precompiled.ts';
import { changesOf } from '../record-image.ts';
import type { RuntimeStart } from '../runtime-image.ts';
import { type WebRuntime, webSessions } from '../session.ts';
import type { OpenCall } from './browser-messages.ts';
import { expectBegun } from './expect-begun.ts';
import { keptImage } from './kept-image.ts';
import { type FirstGraph, graphIn, openingFrom, withGraph } from './opening-image.ts';
import { loadRuntimeModule, type RuntimeFile } from './runtime-module.ts';
import { imageAddresses } from './runtime-store.ts';

/** Where files of the runtime are kept, who hears of them, and what is known of the graphs that it opens. */
export interface RuntimeReads extends Pick<RuntimeFile, 'caches' | 'kept' | 'onProgress' | 'onUncached'> {
  asTheyAre(graph: GraphEntry): boolean;
  /** The bundle of the graph that is opened first, if that is the same at every visit. */
  readonly firstOf: Promise<string | undefined>;
}

/** A runtime that has begun, where that is not left to its first graph. */
export interface OpenRuntime {
  readonly sessions: SessionFactory;
  readonly ort: WebRuntime;
  readonly module: WebAssembly.Module;
  /** Keeps its file and its images for the next visit, once it has begun to run. */
  keep(): Promise<void>;
  /** Forgets copies of them. */
  discard(): Promise<void>;
}

/** What is used of it: a bundler leaves the rest away. */
const wasmRuntime: WebRuntime = { InferenceSession, Tensor, env };

/** Larger images, which hold the weights of the graph, take as long to read and to compare as the graph takes to open. */
const largestImage = 16 * 2 ** 20;

/**
 * Loads the runtime and has it begin, from an image of its memory where an earlier visit kept one: best one with the first graph open.
 *
 * @throws FuzzError `runtime`: the file is not there, is none, or another one. What `firstOf` throws.
 */
export async function openRuntime(
  { runtime, wasm, threads }: OpenCall,
  { asTheyAre, firstOf, ...listening }: RuntimeReads,
): Promise<OpenRuntime> {
  const version = versionOf(wasmRuntime);
  // Images are of the build for WebAssembly with one thread.
  const hasImage = runtime === 'wasm' && threads === 1;
  const caches = hasImage ? listening.caches : undefined;
  const { kept } = listening;
  const addresses = imageAddresses(wasm);
  const begun = keptImage(caches, addresses.begun, version, kept);
  const readImage = async () => {
    const of = await firstOf;
    const opened = of === undefined ? undefined : keptImage(caches, addresses.opened, version, kept, of);
    const file = await opened?.read();
    if (file === undefined) return { opened, image: await begun.read(), graph: undefined };
    const { image, opened: graph } = graphIn(file);
    return { opened, image, graph };
  };
  const [loaded, { opened, image, graph }, build] = await Promise.all([
    loadRuntimeModule({ url: wasm, version, ...listening }),
    readImage(),
    // The default build answers wrongly on WebGPU; this one is right.
    runtime === 'wasm' ? wasmRuntime : import('onnxruntime-web/webgpu'),
  ]);
  const keeping: (() => Promise<void>)[] = [loaded.keep];
  const first: FirstGraph = { opened: graph };
  const start: RuntimeStart = {
    image,
    wrap: (exports, imports) => openingFrom(exports, imports, version, start, first),
    // It is made anew at the next visit.
    onOther: () => void opened?.discard(),
  };
  if (caches !== undefined) {
    // It is heard where there was no image, or one of other memory.
    start.onBegun = (before, after) => {
      const made = changesOf(before, after);
      keeping.push(() => begun.keep(made));
    };
    if (opened !== undefined && graph === undefined)
      first.onOpened = (of, made) => {
        if (made.length <= largestImage) keeping.push(() => opened.keep(withGraph(of, made)));
      };
  }
  const ort = withModule<WebRuntime>(build, loaded.module, hasImage ? start : undefined);
  const sessions = webSessions({ ort, device: runtime, threads, asTheyAre });
  // While files of the bundle are on their way. A fault comes again.
  const discard = async (): Promise<void> => {
    await Promise.all([loaded, begun, opened].map((copy) => copy?.discard()));
  };
  try {
    if (runtime === 'wasm') await expectBegun(beginRuntime(ort), wasm, version);
  } catch (error) {
    await discard();
    throw error;
  }
  return {
    sessions,
    ort,
    module: loaded.module,
    async keep() {
      await Promise.all(keeping.splice(0).map((keep) => keep()));
    },
    discard,
  };
}
