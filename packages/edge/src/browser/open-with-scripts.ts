import { FuzzError } from '@fuzzqe/core';
import type { BrowserEngine, BrowserOptions } from './browser-options.ts';
import { type LoadOverlay, openBundleBy } from './open-bundle-by.ts';

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
  loadOverlay: LoadOverlay = noOverlay,
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
  return (address, options) => openBundleBy(loadOverlay, worker, address, { wasm: folder, ...options });
}

async function noOverlay(): Promise<never> {
  throw new FuzzError('usage', 'overlay: expected a script with overlays, got one without', {
    path: '$.overlay',
    hint: 'Load fuzzqe-browser-overlay.js instead of fuzzqe-browser.js.',
  });
}
