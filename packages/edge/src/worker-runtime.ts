import * as ort from 'onnxruntime-web/wasm';
import { withModule } from './precompiled.ts';
import type { RuntimeStart } from './runtime-image.ts';
import type { WebRuntime } from './session.ts';

/**
 * onnxruntime-web in a Worker, on a WebAssembly module that was compiled before: Workers compile no bytes while they run.
 *
 * @example
 * import wasm from 'onnxruntime-web/ort-wasm-simd-threaded.wasm';
 * const sessions = webSessions({ ort: workerRuntime(wasm) });
 */
export function workerRuntime(wasm: WebAssembly.Module, start: RuntimeStart = {}): WebRuntime {
  return withModule(ort, wasm, start);
}
