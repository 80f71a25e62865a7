import { comparesEntities, type GraphEntry } from '@fuzzqe/bundle';
import { FuzzError, isPassing, messageOf } from '@fuzzqe/core';
import {
  checkForms,
  checkOptions,
  createWeightsCache,
  integerIn,
  isObject,
  type OptionForm,
  oneOf,
  type Session,
  type SessionFactory,
} from '@fuzzqe/engine';
import type { env, InferenceSession, Tensor } from 'onnxruntime-web';
import { hasSimd } from './has-simd.ts';

/** What is used of onnxruntime-web, whichever of its builds was imported. */
export interface WebRuntime {
  readonly InferenceSession: typeof InferenceSession;
  readonly Tensor: typeof Tensor;
  readonly env: typeof env;
}

/** How onnxruntime-web is to run. */
export interface WebSessionOptions {
  /** `import * as ort from 'onnxruntime-web'`, or `/wasm`, or `/webgpu`: the import chooses the runtime. */
  readonly ort: WebRuntime;
  /** Where graphs run. Default `wasm`. */
  readonly device?: 'wasm' | 'webgpu';
  /** Threads of WebAssembly; more than one needs shared memory. Default 1. */
  readonly threads?: number;
}

/** onnxruntime-web, with the files that it keeps for graphs to come. */
export interface WebSessions extends SessionFactory {
  /** Lets go of the weights, of which each open graph has its own copy: a graph that is opened later reads them again. */
  releaseWeights(): void;
}

/** What a runtime is told by. */
export const webRuntimeForm: OptionForm = [
  'onnxruntime-web',
  (value) => isObject(value) && 'InferenceSession' in value,
];

const forms: Readonly<Record<keyof WebSessionOptions, OptionForm>> = {
  ort: webRuntimeForm,
  device: oneOf('wasm', 'webgpu'),
  threads: integerIn(1, 1024),
};

/**
 * onnxruntime-web.
 *
 * A weights file is read once for all graphs of a bundle, and kept for those to come until it is released. Runs and openings form one queue
 * with those of all other sessions of the runtime, because it refuses a second while one is under way.
 *
 * @throws FuzzError `usage`: no such device, or threads that are no number of threads.
 * @example
 * const sessions = webSessions({ ort, threads: 1 });
 * sessions.releaseWeights();
 */
export function webSessions(options: WebSessionOptions): WebSessions {
  checkOptions(options, forms);
  const { ort, device = 'wasm', threads = 1 } = options;
  checkForms({ ort: ort ?? null }, forms, 'usage', '$', "import * as ort from 'onnxruntime-web'.");
  ort.env.wasm.numThreads = threads;
  // What goes wrong is thrown; the runtime need not print it as well.
  ort.env.logLevel = 'fatal';
  let weights = createWeightsCache();
  const queue = queueOf(ort);
  return {
    runtime: `onnxruntime-web ${device}`,
    async open(graph, source) {
      expectSimd();
      const model = await source.read(graph.path);
      const externalData = await Promise.all(
        graph.weights.map(async (path) => ({
          path: locationIn(graph, path),
          // A file for all graphs is opened once: who kept its weights would hold them twice.
          data: await (isWhole(graph) ? source.read(path) : weights.read(source, path)),
        })),
      );
      const session = await queue(() => create(ort, graph, { model, externalData }, device));
      return openedSession(ort, graph, session, queue);
    },
    releaseWeights() {
      weights = createWeightsCache();
    },
  };
}

/** @throws FuzzError `runtime`: the runtime's file would not compile, which it says in other words. */
function expectSimd(): void {
  if (hasSimd()) return;
  throw new FuzzError('runtime', 'expected WebAssembly with SIMD, got a platform without', {
    hint: 'Chrome and Edge have it from 91, Firefox from 89, Safari and Node from 16.4.',
  });
}

/** Whether a graph is one for everything: its selector is no structure. */
function isWhole({ inputs }: GraphEntry): boolean {
  return inputs[0]?.name === 'case';
}

/** The bytes of a graph and of its weights. */
interface GraphFiles {
  readonly model: Uint8Array;
  readonly externalData: readonly { readonly path: string; readonly data: Uint8Array }[];
}

async function create(
  ort: WebRuntime,
  graph: GraphEntry,
  { model, externalData }: GraphFiles,
  device: string,
): Promise<InferenceSession> {
  try {
    return await ort.InferenceSession.create(model, {
      executionProviders: [device],
      externalData,
      ...optimisation(graph),
      logSeverityLevel: 4,
    });
  } catch (cause) {
    throw failed(graph, cause, 'The graph or its weights are damaged, or this runtime lacks the device.');
  }
}

/**
 * What the runtime may do with a graph before it runs.
 *
 * In a graph for everything, prepared constants and laid out weights are copies of most of the weights: at 14 505 × 400 in
 * `int8-basis` its heap takes 336 MB with them. Rewriting its nodes takes as long as all else of the opening, and runs no faster.
 */
function optimisation(graph: GraphEntry): InferenceSession.SessionOptions {
  const prepack = !isWhole(graph) && comparesEntities(graph);
  return {
    ...(isWhole(graph) ? { graphOptimizationLevel: 'disabled' } : {}),
    extra: { session: { disable_prepacking: prepack ? '0' : '1' } },
  };
}

/** How a graph names a weights file: relative to its own folder. */
function locationIn(graph: GraphEntry, path: string): string {
  const folder = graph.path.slice(0, graph.path.lastIndexOf('/') + 1);
  return path.startsWith(folder) ? path.slice(folder.length) : path;
}

function openedSession(ort: WebRuntime, graph: GraphEntry, session: InferenceSession, queue: Queue): Session {
  let closing: Promise<void> | undefined;
  return {
    async run(feeds) {
      if (closing !== undefined)
        throw new FuzzError('runtime', `${graph.path}: the session is closed`, { passing: true });
      return queue(async () => {
        const tensors = Object.fromEntries(
          Object.entries(feeds).map(([name, { dims, data }]) => [name, toTensor(ort, dims, data)]),
        );
        try {
          const outputs = await session.run(tensors, { logSeverityLevel: 4 });
          return Object.fromEntries(
            Object.entries(outputs).map(([name, { dims, data }]) => [name, { dims, data: toNumbers(data) }]),
          );
        } catch (cause) {
          throw failed(graph, cause, 'Check the bundle with `fuzzqe parity`.');
        }
      });
    },
    close() {
      // The queue lets the runs that were asked for before finish first.
      closing ??= queue(() => session.release());
      return closing;
    },
  };
}

function toTensor(ort: WebRuntime, dims: readonly number[], data: Float32Array | Int32Array): Tensor {
  return data instanceof Int32Array
    ? new ort.Tensor('int32', data, dims)
    : new ort.Tensor('float32', data, dims);
}

function toNumbers(data: Tensor['data']): Float32Array | Int32Array {
  if (data instanceof Float32Array || data instanceof Int32Array) return data;
  throw new FuzzError('runtime', 'graph output: expected float32 or int32, got another type');
}

function failed(graph: GraphEntry, cause: unknown, hint: string): FuzzError {
  if (cause instanceof FuzzError) return cause;
  return new FuzzError('runtime', `${graph.path}: ${messageOf(cause)}`, {
    hint,
    passing: isPassing(cause) && !hasNotBegun(cause),
    cause,
  });
}

/** Whether the runtime did not begin to run: it does not try that again, and says the same for ever, be it that memory ran out. */
function hasNotBegun(cause: unknown): boolean {
  return messageOf(cause).startsWith('no available backend found');
}

/** Runs work after all work that was given before, whether that succeeded or not. */
type Queue = <T>(work: () => Promise<T>) => Promise<T>;

/** The last work of each runtime: it is the same one, however it was imported, where it makes the same sessions. */
const lastWork = new WeakMap<object, Promise<unknown>>();

/** One thing at a time in a runtime, in the order given. */
function queueOf({ InferenceSession }: WebRuntime): Queue {
  return (work) => {
    const next = (lastWork.get(InferenceSession) ?? Promise.resolve()).then(work, work);
    lastWork.set(InferenceSession, next);
    return next;
  };
}
