import { env, InferenceSession } from 'onnxruntime-node';
import { decideTelemetry } from './telemetry.ts';

/**
 * Opens a graph, given as a path or as bytes: the only place in which this project makes a session of onnxruntime-node.
 *
 * It prints nothing unless `logSeverityLevel` or `env.logLevel` asks for it: what goes wrong is thrown.
 *
 * @throws FuzzError `runtime`: a worker thread that cannot switch telemetry off. Error: what onnxruntime-node throws.
 * @example
 * const session = await openInferenceSession('model.onnx', { intraOpNumThreads: 1 });
 * const { y } = await session.run({ x: new Tensor('float32', [1, 2], [1, 2]) });
 */
export async function openInferenceSession(
  model: string | Uint8Array,
  options: InferenceSession.SessionOptions = {},
): Promise<InferenceSession> {
  decideTelemetry();
  // Read at the first session of a process.
  if (env.logLevel === 'warning') env.logLevel = 'fatal';
  const quiet: InferenceSession.SessionOptions = { logSeverityLevel: 4, ...options };
  return typeof model === 'string'
    ? InferenceSession.create(model, quiet)
    : InferenceSession.create(model, quiet);
}
