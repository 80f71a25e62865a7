import { FuzzError } from '@fuzzqe/core';
import * as tf from '@tensorflow/tfjs-core';
import type { BackendOptions, Registration } from './backend.ts';
import { initialise } from './initialise.ts';

/** WebAssembly with SIMD, and threads where they are asked for. Throws: 'usage' for a count that is none. */
export async function registerWasm({ threads = 1 }: BackendOptions): Promise<Registration> {
  if (!Number.isInteger(threads) || threads < 1)
    throw new FuzzError('usage', `threads: expected a whole number above 0, got ${threads}`);
  const wasm = await import('@tensorflow/tfjs-backend-wasm');
  // tfjs has threads off in Node; they work in every version from 20 on.
  tf.env().set('WASM_HAS_MULTITHREAD_SUPPORT', threads > 1);
  if (threads > 1) wasm.setThreadsCount(threads);
  await initialise('wasm');
  const simd = (await tf.env().getAsync('WASM_HAS_SIMD_SUPPORT')) ? 'SIMD' : 'no SIMD';
  const count = threads > 1 ? wasm.getThreadsCount() : 1;
  return { description: `tfjs wasm, ${simd}, ${count} thread${count === 1 ? '' : 's'}` };
}
