import * as tf from '@tensorflow/tfjs-core';
import type { Registration } from './backend.ts';
import { initialise } from './initialise.ts';

/**
 * WebAssembly with SIMD where the processor has it, on one thread.
 *
 * tfjs starts its threads from blob URLs, which `worker_threads` refuses; with threads it does not start in Node.
 */
export async function registerWasm(): Promise<Registration> {
  await import('@tensorflow/tfjs-backend-wasm');
  await initialise('wasm');
  const simd = (await tf.env().getAsync('WASM_HAS_SIMD_SUPPORT')) ? 'SIMD' : 'no SIMD';
  return { description: `tfjs wasm, ${simd}` };
}
