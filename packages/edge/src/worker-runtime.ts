import * as ort from 'onnxruntime-web/wasm';
import type { WebRuntime } from './session.ts';

/**
 * onnxruntime-web in a Worker, on a WebAssembly module that was compiled before.
 *
 * Workers compile no bytes while they run: the runtime is given one byte, so that it looks for no file, and where it
 * wants to compile that byte it gets the module instead. Call it before any graph is opened.
 * @example
 * import wasm from 'onnxruntime-web/ort-wasm-simd-threaded.wasm';
 * const sessions = webSessions({ ort: workerRuntime(wasm) });
 */
export function workerRuntime(wasm: WebAssembly.Module): WebRuntime {
  ort.env.wasm.wasmBinary = new Uint8Array(1);
  const { instantiate } = WebAssembly;
  const withModule = async (
    source: BufferSource | WebAssembly.Module,
    imports?: WebAssembly.Imports,
  ): Promise<unknown> => {
    if (source instanceof WebAssembly.Module) return instantiate(source, imports);
    if (source.byteLength !== 1) return instantiate(source, imports);
    return { module: wasm, instance: new WebAssembly.Instance(wasm, imports) };
  };
  // The two forms of the platform's function are one here, which its type cannot say.
  WebAssembly.instantiate = withModule as typeof WebAssembly.instantiate;
  return ort;
}
