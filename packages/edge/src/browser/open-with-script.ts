import type { BrowserEngine, BrowserOptions } from './browser-options.ts';
import { openBundle } from './open-bundle.ts';

/** `openBundle` with the text of the worker's script, and the folder in which the runtime's .wasm files are looked for. */
export function openWithScript(
  script: string,
  folder: URL,
): (address: string | URL, options?: BrowserOptions) => Promise<BrowserEngine> {
  // Threads of WebAssembly load the script again, so its address stays valid.
  let url: string | undefined;
  const worker = (): Worker => {
    url ??= URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
    return new Worker(url, { type: 'module', name: 'fuzzqe' });
  };
  return (address, options) => openBundle(address, { worker, wasm: folder, ...options });
}
