import type { Engine } from '@fuzzqe/engine';
import * as ort from 'onnxruntime-web/wasm';
import type { BrowserOptions } from './browser-options.ts';
import { openWith } from './open-in-browser.ts';

/**
 * Opens the bundle behind an address for answering in a browser.
 *
 * @throws FuzzError as `openEngine`; `interrupted`: the signal.
 * @example
 * const engine = await openBundle('/bundle', { onProgress: ({ done, of }) => { bar.value = done / of; } });
 * const query = parseQueryText('project(borders, France)', engine.vocabulary);
 * console.log((await engine.answer(query, { k: 5 })).answers);
 */
export function openBundle(address: string | URL, options: BrowserOptions = {}): Promise<Engine> {
  const { profile, verify, requireSignature, wasm } = options;
  return openWith(ort, 'wasm', {
    address,
    ...(profile === undefined ? {} : { profile }),
    ...(verify === undefined ? {} : { verify }),
    ...(requireSignature === undefined ? {} : { requireSignature }),
    ...(wasm === undefined ? {} : { wasm: `${wasm}/ort-wasm-simd-threaded.wasm`.replace('//ort', '/ort') }),
  });
}
