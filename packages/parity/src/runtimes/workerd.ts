import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { FuzzError } from '@fuzzqe/core';
import { bundleHost, canBundle, wasmFile } from './bundle-host.ts';
import { remoteAnswerer } from './remote-answerer.ts';
import { absent, firstLine, type ParityRuntime } from './runtime.ts';

const script = `import wasm from './ort.wasm';
import { createWorkerHost } from './worker-host';
export default createWorkerHost(wasm);`;

/** The runtime of Workers, with onnxruntime-web inside. */
export const workerdRuntime: ParityRuntime = {
  description: 'onnxruntime-web in workerd, the runtime of Workers',
  async available() {
    try {
      await import('miniflare');
    } catch (error) {
      return absent(
        `miniflare, which starts workerd, cannot be loaded: npm install --save-dev miniflare (${firstLine(error)})`,
      );
    }
    return canBundle();
  },
  async open({ directory, profile }) {
    const worker = await startWorker(await bundleHost(script), directory);
    return remoteAnswerer('workerd', profile, worker.close, async (call) => {
      const { status, text } = await worker.fetch('/', call);
      if (status !== 200) throw new FuzzError('runtime', `workerd: status ${status}: ${text}`);
      return text;
    });
  },
};

/** A Worker that runs in workerd on this machine. */
export interface Worker {
  /** A POST request. Throws: 'runtime' where workerd has ended. */
  fetch(path: string, body: string): Promise<{ readonly status: number; readonly text: string }>;
  close(): Promise<void>;
}

/**
 * Starts a Worker: an ES module that exports a handler by default, may import './ort.wasm', and has a bundle as BUNDLE.
 *
 * @throws FuzzError `runtime`: workerd does not start, or refuses the script.
 */
export async function startWorker(module: string, bundle: string): Promise<Worker> {
  const { Miniflare } = await import('miniflare');
  const miniflare = new Miniflare({
    modules: [
      { type: 'ESModule', path: 'worker.js', contents: module },
      { type: 'CompiledWasm', path: 'ort.wasm', contents: await readFile(wasmFile('wasm')) },
    ],
    compatibilityDate: '2026-01-01',
    // Otherwise it asks Cloudflare where this machine is, for a field of requests.
    cf: false,
    serviceBindings: { BUNDLE: { disk: { path: resolve(bundle), writable: false } } },
    // What workerd prints is not for the terminal; what goes wrong is thrown.
    handleRuntimeStdio: (stdout: Readable, stderr: Readable) => {
      stdout.resume();
      stderr.resume();
    },
  });
  try {
    await miniflare.ready;
  } catch (cause) {
    await miniflare.dispose().catch(() => undefined);
    throw new FuzzError('runtime', `workerd: ${firstLine(cause)}`, { cause });
  }
  return {
    async fetch(path, body) {
      const headers = { 'content-type': 'application/json' };
      try {
        const request = { method: 'POST', body, headers };
        const response = await miniflare.dispatchFetch(`http://worker${path}`, request);
        return { status: response.status, text: await response.text() };
      } catch (cause) {
        throw new FuzzError('runtime', `workerd: ${firstLine(cause)}`, { cause });
      }
    },
    close: () => miniflare.dispose(),
  };
}
