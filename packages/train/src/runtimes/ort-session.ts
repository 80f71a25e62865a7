import { FuzzError } from '@fuzzqe/core';
import type { Program } from '@fuzzqe/core/tensor';
import { emitOnnx } from '@fuzzqe/onnx';
import * as ort from 'onnxruntime-node';

/** A program as a session of onnxruntime-node. Throws: 'runtime' where the provider or the graph is refused. */
export async function openOrtSession(
  program: Program,
  options: ort.InferenceSession.SessionOptions,
): Promise<ort.InferenceSession> {
  // Read at the first session of a process; what goes wrong is thrown, the runtime need not print it as well.
  if (ort.env.logLevel === 'warning') ort.env.logLevel = 'fatal';
  try {
    return await ort.InferenceSession.create(emitOnnx(program), {
      graphOptimizationLevel: 'all',
      logSeverityLevel: 4,
      ...options,
    });
  } catch (cause) {
    throw new FuzzError('runtime', `onnxruntime-node cannot open ${program.name}: ${String(cause)}`, {
      cause,
    });
  }
}
