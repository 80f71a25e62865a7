import { FuzzError } from '@fuzzqe/core';
import * as ort from 'onnxruntime-web/wasm';
import { versionOf, withModule } from './precompiled.ts';
import { changesOf, writeRuntimeImage } from './record-image.ts';

/**
 * Begins a runtime that has not begun in this thread, and returns the file that others of its version can begin from.
 *
 * It takes the runtime of the thread that it is called in: run it in a process of its own, which opens no graph.
 * @throws FuzzError `runtime`: it begins in another way than this version is known to.
 */
export async function makeRuntimeImage(wasm: WebAssembly.Module): Promise<Uint8Array> {
  const image = await new Promise<Uint8Array>((resolve, reject) => {
    withModule(ort, wasm, { onBegun: (before, after) => resolve(changesOf(before, after)) });
    ort.env.wasm.numThreads = 1;
    ort.env.logLevel = 'fatal';
    // It begins with the first session, which this one byte is none of.
    ort.InferenceSession.create(new Uint8Array(1), { executionProviders: ['wasm'] }).catch((cause: unknown) =>
      reject(new FuzzError('runtime', 'onnxruntime-web of this version has no image', { cause })),
    );
  });
  return writeRuntimeImage(versionOf(ort), image);
}
