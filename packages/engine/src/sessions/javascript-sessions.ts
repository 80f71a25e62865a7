import type { GraphEntry } from '@fuzzqe/bundle';
import { FuzzError } from '@fuzzqe/core';
import { openOnnx, readStrictly, type Value } from '@fuzzqe/onnx/read';
import type { Session, SessionFactory, TensorValue, TensorValues } from './session.ts';
import { createWeightsCache } from './weights-cache.ts';

/**
 * Graphs in plain JavaScript: everywhere, at once, with nothing to load.
 *
 * A graph opens in a millisecond where a runtime takes a hundred to begin, and runs two to ten times slower than there: for first
 * answers, for small bundles, and where WebAssembly is forbidden. A weights file is read once for all graphs of a bundle, and its
 * numbers are used where they lie.
 */
export function javascriptSessions(): SessionFactory {
  const weights = createWeightsCache();
  return {
    runtime: 'JavaScript',
    async open(graph, source) {
      const folder = graph.path.slice(0, graph.path.lastIndexOf('/') + 1);
      const [bytes, ...files] = await Promise.all([
        source.read(graph.path),
        ...graph.weights.map((path) => weights.read(source, path)),
      ]);
      const stored = new Map(graph.weights.map((path, i) => [path, files[i]!] as const));
      try {
        const nothing = new Uint8Array();
        return sessionOf(
          graph,
          openOnnx(readStrictly(bytes), (location) => stored.get(folder + location) ?? nothing),
        );
      } catch (cause) {
        throw failed(graph, cause);
      }
    },
  };
}

function sessionOf(graph: GraphEntry, opened: ReturnType<typeof openOnnx>): Session {
  let run: typeof opened | undefined = opened;
  return {
    async run(feeds) {
      if (run === undefined)
        throw new FuzzError('runtime', `${graph.path}: the session is closed`, { passing: true });
      try {
        const inputs = graph.inputs.map((input) => [input.name, inputOf(input, feeds)] as const);
        const outputs = run(new Map(inputs));
        return Object.fromEntries([...outputs].map(([name, value]) => [name, outputOf(value)]));
      } catch (cause) {
        throw failed(graph, cause);
      }
    },
    async close() {
      run = undefined;
    },
  };
}

function inputOf({ name, dtype, shape }: GraphEntry['inputs'][number], feeds: TensorValues): Value {
  const feed = feeds[name];
  const type = dtype === 'int' ? 'int32' : 'float';
  const fits =
    feed !== undefined &&
    feed.data instanceof Int32Array === (dtype === 'int') &&
    feed.dims.length === shape.length &&
    shape.every((dim, axis) => typeof dim === 'string' || dim === feed.dims[axis]);
  if (fits) return { type, dims: feed.dims, data: feed.data };
  const got = feed === undefined ? 'nothing' : `[${feed.dims.join(', ')}]`;
  throw new FuzzError('runtime', `input "${name}": expected ${type}[${shape.join(', ')}], got ${got}`);
}

/** A copy: it may be a view of weights, or of what was fed. */
function outputOf({ type, dims, data }: Value): TensorValue {
  if (type === 'float') return { dims, data: Float32Array.from(data) };
  if (type === 'int32') return { dims, data: Int32Array.from(data) };
  throw new FuzzError('runtime', `graph output: expected float32 or int32, got ${type}`);
}

function failed(graph: GraphEntry, cause: unknown): FuzzError {
  if (!(cause instanceof FuzzError)) throw cause;
  return new FuzzError(cause.code, `${graph.path}: ${cause.message}`, {
    ...(cause.hint === undefined ? {} : { hint: cause.hint }),
    cause,
  });
}
