import type { Engine } from '@fuzzqe/engine';
// The default build answers wrongly on WebGPU; this one is right.
import * as ort from 'onnxruntime-web/webgpu';
import { type BrowserOptions, openWith } from './open-in-browser.ts';

export type { BrowserOptions } from './open-in-browser.ts';

/**
 * Opens a bundle in a browser, on its graphics processor: WebGPU.
 *
 * @throws FuzzError as `openEngine`, and `runtime` where the browser has no WebGPU.
 * @example
 * const engine = await openOnWebgpu({ address: '/bundle', wasm: '/ort-wasm-simd-threaded.asyncify.wasm' });
 */
export function openOnWebgpu(options: BrowserOptions): Promise<Engine> {
  return openWith(ort, 'webgpu', options);
}
