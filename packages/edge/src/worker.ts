import { FuzzError } from '@fuzzqe/core';
import type { BundleSource } from '@fuzzqe/core/bundle';
import { createEdgeApp, type EdgeApp, type EdgeAppOptions, type RequestContext } from './app.ts';
import { versionOf } from './precompiled.ts';
import { openRuntimeImage, type RuntimeStart } from './runtime-image.ts';
import { workerRuntime } from './worker-runtime.ts';

export { makeRuntimeImage, workerRuntime } from './worker-runtime.ts';

/** What a Worker is made of. */
export interface WorkerOptions<Env> extends Omit<EdgeAppOptions, 'source' | 'ort' | 'device' | 'threads'> {
  /** `import wasm from 'onnxruntime-web/ort-wasm-simd-threaded.wasm'`. */
  readonly wasm: WebAssembly.Module;
  /** Where the bundle is: its bindings come with the first request. */
  readonly source: (env: Env) => BundleSource;
  /** The file `@fuzzqe/edge/runtime.image` among the assets: without it, or with that of another version, the first request takes longer. */
  readonly image?: (env: Env) => Promise<Response>;
}

/** What a Worker exports by default. */
export interface WorkerHandler<Env> {
  fetch(request: Request, env: Env, context?: RequestContext): Promise<Response>;
}

/** What an isolate of Cloudflare may take. */
const isolateMemory = 128 * 10 ** 6;

/**
 * The HTTP API as a Worker, with the bundle among its assets or behind any address.
 *
 * @example
 * import { fetchSource } from '@fuzzqe/edge';
 * import { createWorker } from '@fuzzqe/edge/worker';
 * import wasm from 'onnxruntime-web/ort-wasm-simd-threaded.wasm';
 * export default createWorker({
 *   wasm,
 *   source: ({ ASSETS }) => fetchSource('https://assets/bundle', { fetch: (url, init) => ASSETS.fetch(url, init) }),
 *   image: ({ ASSETS }) => ASSETS.fetch('https://assets/runtime.image'),
 * });
 */
export function createWorker<Env>(options: WorkerOptions<Env>): WorkerHandler<Env> {
  const { wasm, source, image, ...rest } = options;
  const start: RuntimeStart = {};
  const ort = workerRuntime(wasm, start);
  let app: EdgeApp | undefined;
  return {
    fetch(request, env, context) {
      app ??= createEdgeApp({
        memoryLimit: isolateMemory,
        ...rest,
        source: source(env),
        ort,
        ...(image === undefined
          ? {}
          : {
              async prepare() {
                if (start.begun === true) return;
                start.image = await imageFrom(await image(env), versionOf(ort));
              },
            }),
      });
      return app.fetch(request, context);
    },
  };
}

/** What the runtime begins from. Throws: where there is none. */
async function imageFrom(response: Response, version: string): Promise<Uint8Array> {
  if (!response.ok)
    throw new FuzzError('runtime', `image of the runtime: expected a file, got status ${response.status}`, {
      hint: 'Copy it from the package @fuzzqe/edge to the assets; without it the runtime begins by itself.',
    });
  return openRuntimeImage(version, new Uint8Array(await response.arrayBuffer()));
}
