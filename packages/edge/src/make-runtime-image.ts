import { FuzzError } from '@fuzzqe/core';
import * as ort from 'onnxruntime-web/wasm';
import { beginRuntime } from './begin-runtime.ts';
import { versionOf, withModule } from './precompiled.ts';
import { changesOf, writeRuntimeImage } from './record-image.ts';

/**
 * Begins a runtime that has not begun in this thread, and returns the file that others of its version can begin from.
 *
 * It takes the runtime of the thread that it is called in: run it in a process of its own, which opens no graph.
 * @throws FuzzError `runtime`: it begins in another way than this version is known to.
 */
export async function makeRuntimeImage(wasm: WebAssembly.Module): Promise<Uint8Array> {
  const made: Uint8Array[] = [];
  withModule(ort, wasm, { onBegun: (before, after) => made.push(changesOf(before, after)) });
  ort.env.wasm.numThreads = 1;
  ort.env.logLevel = 'fatal';
  const cause = await beginRuntime(ort);
  const [image] = made;
  if (image === undefined)
    throw new FuzzError('runtime', 'onnxruntime-web of this version has no image', { cause });
  return writeRuntimeImage(versionOf(ort), image);
}
