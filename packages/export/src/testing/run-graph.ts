import { join } from 'node:path';
import type { GraphEntry, Tolerance } from '@fuzzqe/bundle';
import { type NumericTensor, type NumericTensors, numeric } from '@fuzzqe/core/tensor';
import { openInferenceSession, Tensor } from '@fuzzqe/ort';

/** A graph of an exported bundle, ready to run with onnxruntime on the CPU. */
export interface OpenGraph {
  run(values: NumericTensors): Promise<Record<string, NumericTensor>>;
  close(): Promise<void>;
}

/** Opens one graph of an exported bundle. */
export async function openGraph(directory: string, graph: GraphEntry): Promise<OpenGraph> {
  const session = await openInferenceSession(join(directory, graph.path), {
    intraOpNumThreads: 1,
    logSeverityLevel: 3,
  });
  return {
    async run(values) {
      const feeds = graph.inputs.map(({ name, dtype }) => {
        const { shape, data } = values[name]!;
        const tensor =
          dtype === 'int'
            ? new Tensor('int32', Int32Array.from(data), shape)
            : new Tensor('float32', Float32Array.from(data), shape);
        return [name, tensor] as const;
      });
      const results = await session.run(Object.fromEntries(feeds));
      return Object.fromEntries(
        Object.entries(results).map(([name, { dims, data }]) => [
          name,
          numeric(dims, data as Float32Array | Int32Array),
        ]),
      );
    },
    close: () => session.release(),
  };
}

/** The graphs of an exported bundle, each opened once. */
export interface OpenGraphs {
  run(graph: GraphEntry, values: NumericTensors): Promise<Record<string, NumericTensor>>;
  close(): Promise<void>;
}

/** Opens graphs of a bundle, whose files do not change meanwhile, when they are first run. */
export function openGraphs(directory: string): OpenGraphs {
  const opened = new Map<GraphEntry, Promise<OpenGraph>>();
  return {
    async run(graph, values) {
      const known = opened.get(graph) ?? openGraph(directory, graph);
      opened.set(graph, known);
      return (await known).run(values);
    },
    async close() {
      for (const graph of opened.values()) await (await graph).close();
    },
  };
}

/** Runs one graph of an exported bundle once. */
export async function runGraph(
  directory: string,
  graph: GraphEntry,
  values: NumericTensors,
): Promise<Record<string, NumericTensor>> {
  const opened = await openGraph(directory, graph);
  try {
    return await opened.run(values);
  } finally {
    await opened.close();
  }
}

/** What is different between two tensors, or nothing: the shapes, then the worst element outside the tolerance. */
export function difference(
  got: NumericTensor,
  expected: NumericTensor,
  { absolute, relative }: Tolerance,
): string | undefined {
  if (got.shape.join() !== expected.shape.join()) return `shape [${got.shape}], expected [${expected.shape}]`;
  let [worst, excess] = [-1, 0];
  expected.data.forEach((wanted, i) => {
    const over = Math.abs(got.data[i]! - wanted) - (absolute + relative * Math.abs(wanted));
    if (!(over <= excess)) [worst, excess] = [i, over];
  });
  return worst < 0 ? undefined : `element ${worst}: ${got.data[worst]}, expected ${expected.data[worst]}`;
}
