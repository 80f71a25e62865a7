import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
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
  isProgram: true,
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
  async open({ directory, profile }, signal) {
    const worker = await startWorker(await bundleHost(script), directory);
    let hasEnded = false;
    const carry = async (call: string): Promise<string> => {
      const { status, text } = await worker.fetch('/', call).catch((cause: unknown) => {
        // It answers every request while it lives, if only with a status.
        hasEnded = true;
        throw cause;
      });
      if (status !== 200) throw new FuzzError('runtime', `workerd: status ${status}: ${text}`);
      return text;
    };
    const ended = (): string | undefined => (hasEnded ? 'workerd ended' : undefined);
    return remoteAnswerer({ name: 'workerd', carry, ended, close: worker.close }, profile, signal);
  },
};

/** A Worker that runs in workerd on this machine. */
export interface Worker {
  /**
   * A POST request.
   *
   * @throws FuzzError `runtime`: workerd has ended.
   */
  fetch(path: string, body: string): Promise<WorkerAnswer>;
  /** A request that a client may give up. Throws: as `fetch`, and where it was given up. */
  request(path: string, init?: WorkerRequest): Promise<WorkerAnswer>;
  /** Puts a text behind the binding KV or R2, with metadata in KV. */
  publish(binding: 'KV' | 'R2', key: string, text: string, metadata?: object): Promise<void>;
  /** Where it answers HTTP by itself; undefined unless it was started so. */
  readonly address: URL | undefined;
  /** Once or again. */
  close(): Promise<void>;
}

/** What a Worker answered. */
export interface WorkerAnswer {
  readonly status: number;
  readonly text: string;
}

/** How a Worker is asked: GET, or POST where there is a body. */
export interface WorkerRequest {
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/** What a Worker finds around it. */
export interface WorkerPlace {
  /** The bundle: a folder, or what answers for each path of it. */
  readonly bundle: string | ((path: string) => Promise<Response>);
  /** What its binding IMAGE answers with; by default it has no file. */
  readonly image?: Uint8Array;
  /** Whose behaviour the Worker has. Default: 2026-01-01. */
  readonly compatibilityDate?: string;
  /** Whether it has an address of its own: other requests go through a Worker of miniflare's in the same thread. Default false. */
  readonly direct?: boolean;
  /** Hears each line that the Worker prints. */
  readonly onLine?: (line: string) => void;
}

/**
 * Starts a Worker: an ES module that exports a handler by default, may import './ort.wasm', and has a bundle as BUNDLE.
 *
 * @throws FuzzError `runtime`: workerd does not start, or refuses the script.
 */
export async function startWorker(module: string, place: string | WorkerPlace): Promise<Worker> {
  const { Miniflare, Response: WorkerResponse } = await import('miniflare');
  const {
    bundle,
    image,
    onLine,
    compatibilityDate = '2026-01-01',
    direct = false,
  } = typeof place === 'string' ? { bundle: place } : place;
  const hear = (stream: Readable): void => {
    // What workerd prints is not for the terminal; what goes wrong is thrown.
    if (onLine === undefined) stream.resume();
    else createInterface(stream).on('line', onLine);
  };
  const miniflare = new Miniflare({
    modules: [
      { type: 'ESModule', path: 'worker.js', contents: module },
      { type: 'CompiledWasm', path: 'ort.wasm', contents: await readFile(wasmFile('wasm')) },
    ],
    compatibilityDate,
    ...(direct ? { unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }] } : {}),
    // Otherwise it asks Cloudflare where this machine is, for a field of requests.
    cf: false,
    kvNamespaces: ['KV'],
    r2Buckets: ['R2'],
    serviceBindings: {
      IMAGE: () => new WorkerResponse(image ?? null, { status: image === undefined ? 404 : 200 }),
      BUNDLE:
        typeof bundle === 'string'
          ? { disk: { path: resolve(bundle), writable: false } }
          : async ({ url }: { readonly url: string }) => {
              const { status, headers, body } = await bundle(new URL(url).pathname.slice(1));
              return new WorkerResponse(body === null ? null : await new Response(body).arrayBuffer(), {
                status,
                headers: [...headers],
              });
            },
    },
    handleRuntimeStdio: (stdout: Readable, stderr: Readable) => {
      hear(stdout);
      hear(stderr);
    },
  });
  try {
    await miniflare.ready;
  } catch (cause) {
    await miniflare.dispose().catch(() => undefined);
    throw new FuzzError('runtime', `workerd: ${firstLine(cause)}`, { cause });
  }
  const request = async (path: string, { body, signal }: WorkerRequest = {}): Promise<WorkerAnswer> => {
    const headers = { 'content-type': 'application/json' };
    const post = body === undefined ? {} : { method: 'POST', body, headers };
    try {
      const response = await miniflare.dispatchFetch(`http://worker${path}`, {
        ...post,
        ...(signal === undefined ? {} : { signal }),
      });
      return { status: response.status, text: await response.text() };
    } catch (cause) {
      throw new FuzzError('runtime', `workerd: ${firstLine(cause)}`, { cause });
    }
  };
  let closing: Promise<void> | undefined;
  return {
    fetch: (path, body) => request(path, { body }),
    request,
    async publish(binding, key, text, metadata) {
      // The types of bindings are those of a package that is not there.
      const store = (await (binding === 'R2'
        ? miniflare.getR2Bucket('R2')
        : miniflare.getKVNamespace('KV'))) as unknown as {
        put(name: string, value: string, options?: object): Promise<unknown>;
      };
      await store.put(key, text, binding === 'R2' ? {} : { metadata });
    },
    address: direct ? await miniflare.unsafeGetDirectURL() : undefined,
    close() {
      closing ??= miniflare.dispose();
      return closing;
    },
  };
}
