import { FuzzError } from '@fuzzqe/core';
import type { Program } from '@fuzzqe/core/tensor';
import { emitOnnx } from '@fuzzqe/onnx';
import * as ort from '@fuzzqe/ort';
import type { HostTensor } from './host-state.ts';
import type { Feeds } from './training-runtime.ts';

/**
 * A program as a session of onnxruntime-node.
 *
 * @throws FuzzError `runtime`: the provider or the graph is refused.
 */
export async function openOrtSession(
  program: Program,
  options: ort.InferenceSession.SessionOptions,
): Promise<ort.InferenceSession> {
  try {
    return await ort.openInferenceSession(emitOnnx(program), { graphOptimizationLevel: 'all', ...options });
  } catch (cause) {
    if (cause instanceof FuzzError) throw cause;
    throw new FuzzError('runtime', `onnxruntime-node cannot open ${program.name}: ${String(cause)}`, {
      cause,
    });
  }
}

/**
 * One feed of a step as ONNX Runtime takes it.
 *
 * @throws FuzzError `shape`: there is none of this name.
 */
export function feedTensor(feeds: Feeds, name: string): ort.Tensor {
  const feed = feeds[name];
  if (feed === undefined) throw new FuzzError('shape', `no feed "${name}"`);
  if (feed.data instanceof Int32Array) return new ort.Tensor('int32', feed.data, feed.shape);
  if (feed.data instanceof Uint8Array) return new ort.Tensor('bool', feed.data, feed.shape);
  return new ort.Tensor('float32', feed.data, feed.shape);
}

/** A tensor in this process's memory as ONNX Runtime takes and fills it. */
export function hostTensor({ data, shape }: HostTensor): ort.Tensor {
  return new ort.Tensor('float32', data, shape);
}
