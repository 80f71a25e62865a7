import type { BrowserEngine, BrowserOptions } from './browser-options.ts';
import { openBundle } from './open-bundle.ts';

/** The texts of the scripts of workers. */
export interface WorkerScripts {
  /** `bundle-worker`, which imports the runtime for WebGPU from the address in `globalThis.fuzzqeWebgpu`. */
  readonly bundle: string;
  /** `kept-runtime-worker`. */
  readonly keptRuntime: string;
  /** The runtime for WebGPU. */
  readonly webgpu: string;
}

/** `openBundle` with the texts of the workers' scripts, and the folder in which the runtime's .wasm files are looked for. */
export function openWithScripts(
  { bundle, keptRuntime, webgpu }: WorkerScripts,
  folder: URL,
): (address: string | URL, options?: BrowserOptions) => Promise<BrowserEngine> {
  // Threads of WebAssembly load a script again, so addresses stay valid.
  const urlOf = (...texts: string[]): string =>
    URL.createObjectURL(new Blob(texts, { type: 'text/javascript' }));
  const starting = (makeUrl: () => string): (() => Worker) => {
    let url: string | undefined;
    return () => {
      url ??= makeUrl();
      return new Worker(url, { type: 'module', name: 'fuzzqe' });
    };
  };
  // What is seldom wanted is no part of the script that is compiled each time.
  const worker = starting(() => urlOf(`globalThis.fuzzqeWebgpu=${JSON.stringify(urlOf(webgpu))};`, bundle));
  const runtimeReader = starting(() => urlOf(keptRuntime));
  return (address, options) => openBundle(address, { worker, runtimeReader, wasm: folder, ...options });
}
