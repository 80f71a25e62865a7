import { checkApiOptions } from '@fuzzqe/api';
import type { BundleSource } from '@fuzzqe/bundle';
import { aFunction, checkForms, checkOptions, isObject, type OptionForm } from '@fuzzqe/engine';
import { createEdgeApp, type EdgeApp, type EdgeAppOptions, edgeForms, type RequestContext } from './app.ts';
import type { EdgeFacts } from './facts/edge-facts.ts';
import { fetchImage } from './fetch-image.ts';
import { logFault, neverThrowing } from './log-fault.ts';
import { versionOf } from './precompiled.ts';
import type { RuntimeStart } from './runtime-image.ts';
import { workerRuntime } from './worker-runtime.ts';

export { workerRuntime } from './worker-runtime.ts';

/** What a Worker is made of. */
export interface WorkerOptions<Env>
  extends Omit<EdgeAppOptions, 'source' | 'ort' | 'device' | 'threads' | 'prepare' | 'facts'> {
  /** `import wasm from 'onnxruntime-web/ort-wasm-simd-threaded.wasm'`. */
  readonly wasm: WebAssembly.Module;
  /** Where the bundle is: its bindings come with the first request. */
  readonly source: (env: Env) => BundleSource;
  /** The file `@fuzzqe/edge/runtime.image` among the assets: without it, with another one, or where it takes more than 3 s, the first request takes longer. */
  readonly image?: (env: Env) => Promise<Response>;
  /** Changes of facts that answers follow: `deltaFacts` of `@fuzzqe/edge/facts`. Default: the facts of the bundle. */
  readonly facts?: (env: Env) => EdgeFacts;
}

/** What a Worker exports by default. */
export interface WorkerHandler<Env> {
  fetch(request: Request, env: Env, context?: RequestContext): Promise<Response>;
}

/** What an isolate of Cloudflare may take. */
const isolateMemory = 128 * 10 ** 6;

const { profile, verify, requireSignature, memoryLimit, openTimeout, api } = edgeForms;
const forms: Readonly<Record<keyof WorkerOptions<unknown>, OptionForm>> = {
  profile,
  verify,
  requireSignature,
  memoryLimit,
  openTimeout,
  api,
  wasm: ['a module of WebAssembly', isObject],
  source: ['a function that gives the source of a bundle', aFunction[1]],
  image: aFunction,
  facts: aFunction,
};

/**
 * The HTTP API as a Worker, with the bundle among its assets or behind any address.
 *
 * @throws FuzzError `usage`: an option, or one of `api`.
 * @example
 * import { fetchSource } from '@fuzzqe/edge';
 * import { createWorker } from '@fuzzqe/edge/worker';
 * import wasm from 'onnxruntime-web/ort-wasm-simd-threaded.wasm';
 * export default createWorker<{ readonly ASSETS: { readonly fetch: typeof fetch } }>({
 *   wasm,
 *   source: ({ ASSETS }) => fetchSource('https://assets/bundle', { fetch: (url, init) => ASSETS.fetch(url, init) }),
 *   image: ({ ASSETS }) => ASSETS.fetch('https://assets/runtime.image'),
 * });
 */
export function createWorker<Env>(options: WorkerOptions<Env>): WorkerHandler<Env> {
  checkOptions(options, forms);
  const { wasm, source, image, facts, ...rest } = options;
  checkForms({ wasm: wasm ?? null, source: source ?? null }, forms, 'usage', '$', 'A Worker needs both.');
  if (rest.api !== undefined) checkApiOptions(rest.api, '$.api');
  const onError = neverThrowing(rest.api?.onError ?? logFault);
  const start: RuntimeStart = { onOther: (why) => onError(why, crypto.randomUUID(), 'answer') };
  const ort = workerRuntime(wasm, start);
  let app: EdgeApp | undefined;
  return {
    fetch(request, env, context) {
      app ??= createEdgeApp({
        memoryLimit: isolateMemory,
        ...rest,
        source: source(env),
        ort,
        ...(facts === undefined ? {} : { facts: facts(env) }),
        ...(image === undefined
          ? {}
          : {
              prepare: () => fetchImage(start, () => image(env), versionOf(ort)),
            }),
      });
      return app.fetch(request, context);
    },
  };
}
