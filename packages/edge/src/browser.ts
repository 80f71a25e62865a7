import type { Engine } from '@fuzzqe/engine';
import * as ort from 'onnxruntime-web/wasm';
import { type BrowserOptions, openWith } from './open-in-browser.ts';

export type {
  BrowserOptions as OpenBundleOptions,
  BrowserRuntime,
  BrowserWarning,
  OpenProgress,
} from './browser/browser-options.ts';
export { openBundle } from './browser/open-bundle.ts';
export type { BrowserOptions } from './open-in-browser.ts';

/**
 * Opens a bundle in a browser, on the CPU: WebAssembly.
 *
 * @throws FuzzError as `openEngine`.
 * @example
 * const engine = await openInBrowser({ address: '/bundle', wasm: '/ort-wasm-simd-threaded.wasm' });
 */
export function openInBrowser(options: BrowserOptions): Promise<Engine> {
  return openWith(ort, 'wasm', options);
}
