import { join } from 'node:path';
import type { GraphEntry } from '@fuzzqe/core/bundle';
import { type NumericTensor, type NumericTensors, numeric } from '@fuzzqe/core/tensor';
import { InferenceSession, Tensor } from 'onnxruntime-node';

/** Runs one graph of an exported bundle with onnxruntime on the CPU. */
export async function runGraph(
  directory: string,
  graph: GraphEntry,
  values: NumericTensors,
): Promise<Record<string, NumericTensor>> {
  const session = await InferenceSession.create(join(directory, graph.path), {
    intraOpNumThreads: 1,
    logSeverityLevel: 3,
  });
  try {
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
  } finally {
    await session.release();
  }
}
