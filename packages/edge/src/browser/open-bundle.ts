import type { BrowserEngine, BrowserOptions } from './browser-options.ts';
import { openBundleBy } from './open-bundle-by.ts';

/**
 * Opens the bundle behind an address for answering in a browser: in a web worker, so that the page never waits.
 *
 * Names, facts and checks are in the page, everything that computes is in the worker. Where the graphics processor goes away,
 * another worker goes on with WebAssembly.
 * @throws FuzzError `bundle`: no answer there, no bundle, or files that are not those of its manifest. `usage`: no such profile,
 * no number of threads, an option that has no such value or that there is not. `runtime`: what the browser lacks, or a runtime that cannot be loaded.
 * `interrupted`: the signal.
 * @example
 * const engine = await openBundle('/bundle', { onProgress: ({ done, of }) => { bar.value = done / of; } });
 * const query = parseQueryText('project(borders, France)', engine.vocabulary);
 * console.log((await engine.answer(query, { k: 5 })).answers);
 */
export function openBundle(address: string | URL, options: BrowserOptions = {}): Promise<BrowserEngine> {
  return openBundleBy(() => import('./overlay/index.ts'), ownWorker, address, options);
}

// Bundlers know this form, and only this form.
const ownWorker = (): Worker =>
  new Worker(new URL('./bundle-worker.js', import.meta.url), { type: 'module', name: 'fuzzqe' });
