import { FuzzError } from '@fuzzqe/core';
import * as tf from '@tensorflow/tfjs-core';
import { initialiseBackend, type Registration } from './backend.ts';

/**
 * WebAssembly with SIMD where the processor has it, on one thread.
 *
 * tfjs starts its threads from blob URLs, which `worker_threads` refuses; with threads it does not start in Node.
 */
export async function registerWasm(): Promise<Registration> {
  await import('@tensorflow/tfjs-backend-wasm');
  await initialiseBackend('wasm');
  refuseWhatDoesNotFit((tf.backend() as unknown as { readonly wasm: WasmMemory }).wasm);
  const simd = (await tf.env().getAsync('WASM_HAS_SIMD_SUPPORT')) ? 'SIMD' : 'no SIMD';
  return { description: `tfjs wasm, ${simd}` };
}

/** What is used of the module that Emscripten made. */
interface WasmMemory {
  /** The address of so many bytes; 0 where there is no room. */
  _malloc(bytes: number): number;
  _free(at: number): void;
}

/** Where memory is used up, tfjs would write to address 0, over other tensors, and say nothing. */
function refuseWhatDoesNotFit(memory: WasmMemory): void {
  // Emscripten puts another function in its place at the first call.
  memory._free(memory._malloc(1));
  const allocate = memory._malloc;
  memory._malloc = (bytes) => {
    const at = allocate(bytes);
    if (at === 0 && bytes > 0)
      throw new FuzzError(
        'runtime',
        `tfjs wasm cannot hold ${bytes} bytes more: WebAssembly has 4 GB for everything`,
        { hint: 'Take another backend of tfjs, or ONNX Runtime.' },
      );
    return at;
  };
}
