import { FuzzError } from '@fuzzqe/core';
import type { BundleSource } from '@fuzzqe/core/bundle';
import { openEngine } from '@fuzzqe/engine';
import { type ApiOptions, type App, createApp, problemOf } from '@fuzzqe/engine/api';
import { type WebRuntime, webSessions } from './session.ts';

/** What an application at the edge needs. */
export interface EdgeAppOptions {
  readonly source: BundleSource;
  readonly ort: WebRuntime;
  readonly device?: 'wasm' | 'webgpu';
  readonly threads?: number;
  readonly profile?: string;
  /** Whether every file that is used is compared with its digest. Default true. */
  readonly verify?: boolean;
  /** An Ed25519 public key in PEM: only a bundle that was signed with its private key is opened. Default: any is. */
  readonly requireSignature?: string;
  readonly api?: ApiOptions;
}

/** What a Worker exports. */
export interface EdgeApp {
  fetch(request: Request): Promise<Response>;
}

/**
 * The HTTP API over onnxruntime-web, opened by the first request.
 *
 * Workers allow no I/O before a request, and too little time. Requests that come meanwhile wait for the same opening;
 * if it fails, they are
 * answered 503 and the next request tries again.
 * @example
 * export default createEdgeApp({ source: fetchSource('https://example.org/bundle'), ort });
 */
export function createEdgeApp(options: EdgeAppOptions): EdgeApp {
  let opening: Promise<App> | undefined;
  const open = async (): Promise<App> => {
    const { profile, verify, requireSignature, device, threads } = options;
    const engine = await openEngine({
      source: options.source,
      sessions: webSessions({
        ort: options.ort,
        ...(device === undefined ? {} : { device }),
        ...(threads === undefined ? {} : { threads }),
      }),
      // The runtime copies the weights of every graph it opens: one graph for every structure holds them once.
      plan: 'edge',
      ...(profile === undefined ? {} : { profile }),
      ...(verify === undefined ? {} : { verify }),
      ...(requireSignature === undefined ? {} : { requireSignature }),
    });
    return createApp(engine, options.api);
  };
  return {
    async fetch(request) {
      opening ??= open();
      const current = opening;
      try {
        return (await current).fetch(request);
      } catch (error) {
        if (opening === current) opening = undefined;
        const id = crypto.randomUUID();
        options.api?.onError?.(error, id, 'answer');
        const problem = problemOf(new FuzzError('runtime', 'the bundle could not be opened'), id);
        return Response.json(problem, {
          status: problem.status,
          headers: { 'content-type': 'application/problem+json', 'x-request-id': id, 'retry-after': '1' },
        });
      }
    },
  };
}
