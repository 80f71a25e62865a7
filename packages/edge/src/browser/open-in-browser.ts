import { type Engine, type EngineOptions, openEngine } from '@fuzzqe/engine';
import * as ort from 'onnxruntime-web/wasm';
import { fetchSource } from '../bundle-source.ts';
import { type WebRuntime, type WebSessionOptions, webSessions } from '../session.ts';

/** How a bundle is opened in a browser. */
export interface BrowserOptions
  extends Omit<EngineOptions, 'source' | 'sessions'>,
    Pick<WebSessionOptions, 'threads'> {
  /** Where the folder of the bundle is served; the page may read it. */
  readonly address: string | URL;
  /** Where the runtime's .wasm file is served. Default: beside the script. */
  readonly wasm?: string | URL;
}

/** Opens a bundle in a browser, on a build of the runtime that was imported. */
export function openWith(
  ort: WebRuntime,
  device: 'wasm' | 'webgpu',
  { address, wasm, threads = 1, ...engine }: BrowserOptions,
): Promise<Engine> {
  if (wasm !== undefined) ort.env.wasm.wasmPaths = { wasm };
  const source = fetchSource(address);
  return openEngine({ ...engine, source, sessions: webSessions({ ort, device, threads }) });
}

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
