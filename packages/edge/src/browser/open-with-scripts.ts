import type { BrowserEngine, BrowserOptions } from './browser-options.ts';
import { openBundle } from './open-bundle.ts';

/** The texts of the scripts of workers. */
export interface WorkerScripts {
  /** `bundle-worker`, which imports the runtime for WebGPU from the address in `globalThis.fuzzqeWebgpu`. */
  readonly bundle: string;
  /** The runtime for WebGPU. */
  readonly webgpu: string;
}

/** `openBundle` with the texts of the workers' scripts, and the folder in which the runtime's .wasm files are looked for. */
export function openWithScripts(
  { bundle, webgpu }: WorkerScripts,
  folder: URL,
): (address: string | URL, options?: BrowserOptions) => Promise<BrowserEngine> {
  // Threads of WebAssembly load a script again, so addresses stay valid.
  const urlOf = (...texts: string[]): string =>
    URL.createObjectURL(new Blob(texts, { type: 'text/javascript' }));
  let url: string | undefined;
  const worker = (): Worker => {
    // What is seldom wanted is no part of the script that is compiled each time.
    url ??= urlOf(`globalThis.fuzzqeWebgpu=${JSON.stringify(urlOf(webgpu))};`, bundle);
    return new Worker(url, { type: 'module', name: 'fuzzqe' });
  };
  return (address, options) => openBundle(address, { worker, wasm: folder, ...options });
}
