import { beginningFrom, type RuntimeStart, withoutEnvironment } from './runtime-image.ts';
import type { WebRuntime } from './session.ts';

/**
 * Lets a build of onnxruntime-web run on a WebAssembly module that was compiled before, and returns it.
 *
 * The runtime is given one byte, so that it looks for no file; where it wants to compile that byte it gets the module. Call it
 * before any graph is opened. What `start` holds when the first graph is opened is what the runtime begins from.
 */
export function withModule<Runtime extends WebRuntime>(
  ort: Runtime,
  module: WebAssembly.Module,
  start?: RuntimeStart,
): Runtime {
  ort.env.wasm.wasmBinary = new Uint8Array(1);
  const { instantiate } = WebAssembly;
  const instantiated = async (
    source: BufferSource | WebAssembly.Module,
    imports: WebAssembly.Imports = {},
  ): Promise<unknown> => {
    if (source instanceof WebAssembly.Module) return instantiate(source, imports);
    if (source.byteLength !== 1) return instantiate(source, imports);
    if (start === undefined) return { module, instance: new WebAssembly.Instance(module, imports) };
    const version = versionOf(ort);
    const instance = new WebAssembly.Instance(module, withoutEnvironment(imports, version));
    return { module, instance: { exports: beginningFrom(instance, imports, version, start) } };
  };
  // The two forms of the platform's function are one here, which its type cannot say.
  WebAssembly.instantiate = instantiated as typeof WebAssembly.instantiate;
  return ort;
}

/** The version of onnxruntime-web. */
export function versionOf({ env }: WebRuntime): string {
  return `${env.versions.web}`;
}
