import { FuzzError } from '@fuzzqe/core';
import * as ort from 'onnxruntime-web/wasm';
import { versionOf, withModule } from './precompiled.ts';
import { changesOf, writeRuntimeImage } from './record-image.ts';

/** y = −x as a file of ONNX: whatever graph is opened first, the runtime registers all that it can run. */
const smallestGraph = Uint8Array.of(
  ...[0x08, 8, 0x42, 2, 0x10, 17, 0x3a, 50],
  ...[0x0a, 11, 0x0a, 1, 120, 0x12, 1, 121, 0x22, 3, 78, 101, 103, 0x12, 1, 103],
  ...[0x5a, 15, 0x0a, 1, 120, 0x12, 10, 0x0a, 8, 0x08, 1, 0x12, 4, 0x0a, 2, 0x08, 1],
  ...[0x62, 15, 0x0a, 1, 121, 0x12, 10, 0x0a, 8, 0x08, 1, 0x12, 4, 0x0a, 2, 0x08, 1],
);

/**
 * Begins a runtime that has not begun in this thread, opens and closes a graph, and returns the file that others of its version can
 * begin from.
 *
 * It takes the runtime of the thread that it is called in: run it in a process of its own.
 * @throws FuzzError `runtime`: it begins in another way than this version is known to.
 */
export async function makeRuntimeImage(wasm: WebAssembly.Module): Promise<Uint8Array> {
  const begun: (() => Uint8Array)[] = [];
  withModule(ort, wasm, { onBegun: (before, after) => begun.push(() => changesOf(before, after)) });
  ort.env.wasm.numThreads = 1;
  ort.env.logLevel = 'fatal';
  let cause: unknown;
  try {
    const session = await ort.InferenceSession.create(smallestGraph, {
      executionProviders: ['wasm'],
      graphOptimizationLevel: 'disabled',
      logSeverityLevel: 4,
    });
    await session.release();
  } catch (error) {
    cause = error;
  }
  const [made] = begun;
  if (made === undefined || cause !== undefined)
    throw new FuzzError('runtime', 'onnxruntime-web of this version has no image', { cause });
  return writeRuntimeImage(versionOf(ort), made());
}
