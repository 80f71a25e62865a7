import type { GraphEntry } from '@fuzzqe/bundle';
import { FuzzError } from '@fuzzqe/core';
import type { ModelConfig, Parameters } from '@fuzzqe/model';
import type { SessionFactory, TensorValues } from '../sessions/session.ts';
import { referenceGraphs } from './reference-graphs.ts';

/**
 * A runtime without a runtime: the tensor programs of the model, interpreted in float64 from its parameters.
 *
 * It needs no ONNX file, which makes it the other side of every comparison, and far too slow for anything else.
 */
export function referenceSessions(config: ModelConfig, parameters: Parameters): SessionFactory {
  const graphs = referenceGraphs(config, parameters);
  return {
    runtime: 'float64 reference',
    async open(graph) {
      const run = graphs(nameOf(graph));
      let closed = false;
      return {
        async run(feeds) {
          if (closed) throw new FuzzError('runtime', `${graph.path}: the session is closed`);
          checkFeeds(graph, feeds);
          return run(feeds);
        },
        async close() {
          closed = true;
        },
      };
    },
  };
}

/** `models/fp32/2i.onnx` is graph `2i`. */
function nameOf(graph: GraphEntry): string {
  return graph.path.replace(/^.*\//, '').replace(/\.onnx$/, '');
}

/** A real runtime refuses what does not have the declared form, so this one does too. */
function checkFeeds(graph: GraphEntry, feeds: TensorValues): void {
  for (const { name, dtype, shape } of graph.inputs) {
    const feed = feeds[name];
    const isInt = feed?.data instanceof Int32Array;
    if (feed === undefined || isInt !== (dtype === 'int') || feed.dims.length !== shape.length) {
      throw new FuzzError('runtime', `${graph.path}: input "${name}" is missing or not ${dtype} [${shape}]`);
    }
  }
}
