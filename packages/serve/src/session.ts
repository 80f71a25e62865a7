import { dirname } from 'node:path';
import { type BundleSource, comparesEntities, type GraphEntry } from '@fuzzqe/bundle';
import { FuzzError, isPassing, messageOf } from '@fuzzqe/core';
import {
  aFunction,
  checkOptions,
  createLifetime,
  type DerivedGraph,
  integerIn,
  type OpenHow,
  type OptionForm,
  oneOf,
  type Session,
  type SessionFactory,
  type TensorValue,
  type TensorValues,
} from '@fuzzqe/engine';
import { rankAllOf } from '@fuzzqe/engine/derived';
import { type InferenceSession, openInferenceSession, Tensor } from '@fuzzqe/ort';
import { locate } from './bundle-source.ts';
import { createDeviceChoice, type DeviceName, deviceNames } from './device.ts';
import { folderPath } from './folder-path.ts';
import { pausedAttempts } from './paused-attempts.ts';
import { probeDevice } from './probe-device.ts';

/** How onnxruntime-node is to run. */
export interface NodeSessionOptions {
  /** `auto` takes the first of cuda, webgpu and cpu that works here. Default `cpu`. */
  readonly device?: DeviceName | 'auto';
  /** Threads for one run on the CPU. Default: as many as there are cores. */
  readonly threads?: number;
  /** Hears, in one line, of every device that was tried in vain. Default: standard error. */
  readonly log?: (line: string) => void;
}

/**
 * onnxruntime-node over a bundle's folder.
 *
 * Graphs are opened by their path, so that the system maps the weights into memory once for all of them. The engine's source is only asked whether they
 * are those of the manifest.
 *
 * @throws FuzzError `usage`: what is no path, no device, or no number of threads.
 * @example
 * const sessions = nodeSessions('bundles/mine', { device: 'cpu', threads: 2 });
 */
export function nodeSessions(directory: string, options: NodeSessionOptions = {}): SessionFactory {
  checkOptions(options, forms);
  const { device = 'cpu', threads, log = (line) => process.stderr.write(`${line}\n`) } = options;
  const root = folderPath(directory);
  computeInFloat32(device);
  const choice = createDeviceChoice(device, log, probeDevice);
  const openGraph = async (
    graph: GraphEntry,
    file: string,
    { bytes, compact = false }: OpenHow & { readonly bytes?: Uint8Array },
  ): Promise<Session> => {
    const session = await choice.open(file, (name) =>
      openInferenceSession(bytes ?? file, {
        executionProviders: [name],
        ...(threads === undefined ? {} : { intraOpNumThreads: threads }),
        extra: {
          session: {
            // Prepacking copies the entity table (23 MB at 14 505 × 400) once a graph: batches get up to five times as
            // fast where every entity is compared, and no faster elsewhere.
            disable_prepacking: !compact && prepacks(graph) ? '0' : '1',
            // Threads that spin while they wait take the cores of whatever else runs here.
            intra_op: { allow_spinning: '0' },
            // Weights are found next to the graph that the bytes were made of.
            ...(bytes === undefined ? {} : { model_external_initializers_file_folder_path: dirname(file) }),
          },
        },
      }),
    );
    return openedSession(graph, session);
  };
  return {
    get runtime() {
      return `onnxruntime-node ${choice.current}`;
    },
    async open(graph, source, how = {}) {
      for (const path of [graph.path, ...graph.weights]) await source.verify?.(path);
      return openGraph(graph, locate(root, graph.path), how);
    },
    // The engine does without, and asks again at every run.
    derive: rankAllOf,
    openDerived: pausedAttempts(async (graph: DerivedGraph, source: BundleSource) => {
      for (const path of graph.weights) await source.verify?.(path);
      return openGraph(graph, locate(root, graph.path), { bytes: graph.bytes });
    }),
  };
}

/** Threads beyond these no machine runs at once; the runtime would run out of memory instead of refusing them. */
export const mostThreads = 1024;

const forms: Readonly<Record<keyof NodeSessionOptions, OptionForm>> = {
  device: oneOf('auto', ...deviceNames),
  threads: integerIn(1, mostThreads),
  log: aFunction,
};

/** Of more entities a run has fewer than four rows, to which a copy of the entity table gives nothing. */
const mostPrepacked = 2 ** 21;

type GraphShapes = Pick<GraphEntry, 'inputs' | 'outputs' | 'weights'>;

/** Whether a runtime lays the weights of a graph out for speed, in a copy for each session. */
export function prepacks(graph: GraphShapes & { readonly original?: GraphShapes }): boolean {
  const { inputs, outputs } = graph.original ?? graph;
  const longest = [...inputs, ...outputs].flatMap(({ shape }) =>
    shape.filter((size) => typeof size === 'number'),
  );
  return comparesEntities(graph) && Math.max(...longest) <= mostPrepacked;
}

/**
 * The one place that says how exactly a device computes: in float32.
 *
 * Since Ampere, CUDA multiplies float32 matrices with the 10 bits of mantissa of TF32 unless told otherwise, which parity
 * would not accept. onnxruntime-node hands CUDA a device number and no other option, so it is told by the environment,
 * which NVIDIA's libraries read when they are loaded. Anyone who has set NVIDIA_TF32_OVERRIDE keeps it.
 */
function computeInFloat32(device: DeviceName | 'auto'): void {
  if (device === 'cuda' || device === 'auto') process.env['NVIDIA_TF32_OVERRIDE'] ??= '0';
}

function openedSession(graph: GraphEntry, session: InferenceSession): Session {
  // Releasing a session during a run aborts the process.
  const lifetime = createLifetime(() => session.release(), `${graph.path}: the session`);
  const run = async (feeds: TensorValues): Promise<TensorValues> => {
    // Loops over objects, since a query takes several runs and all else of it little time.
    const tensors: Record<string, Tensor> = {};
    for (const name in feeds) tensors[name] = toTensor(feeds[name]!);
    try {
      const outputs = await session.run(tensors);
      const values: Record<string, TensorValue> = {};
      for (const name in outputs) {
        const { dims, data } = outputs[name]!;
        values[name] = { dims, data: toNumbers(data) };
      }
      return values;
    } catch (cause) {
      throw runFailed(graph, cause);
    }
  };
  return { run: (feeds) => lifetime.during(() => run(feeds)), close: () => lifetime.close() };
}

function toTensor({ dims, data }: TensorValue): Tensor {
  return data instanceof Int32Array ? new Tensor('int32', data, dims) : new Tensor('float32', data, dims);
}

function toNumbers(data: Tensor['data']): Float32Array | Int32Array {
  if (data instanceof Float32Array || data instanceof Int32Array) return data;
  throw new FuzzError('runtime', 'graph output: expected float32 or int32, got another kind of number');
}

function runFailed(graph: GraphEntry, cause: unknown): FuzzError {
  if (cause instanceof FuzzError) return cause;
  return new FuzzError('runtime', `${graph.path}: ${messageOf(cause)}`, {
    hint: 'Check the bundle with `fuzzqe parity`.',
    passing: isPassing(cause),
    cause,
  });
}
