import { fetchSource, webSessions } from '@fuzzqe/edge';
import { workerRuntime } from '@fuzzqe/edge/worker';
import { openEngine } from '@fuzzqe/engine';
import type { RankRequest } from './protocol.ts';
import { createRankingHost } from './ranking-host.ts';

/** What is bound to the Worker. */
export interface WorkerHostBindings {
  readonly BUNDLE: { fetch(address: string): Promise<Response> };
}

/** A Worker that ranks; only its requests have bindings, so it opens the bundle then. */
export function createWorkerHost(wasm: WebAssembly.Module): {
  fetch(request: Request, bindings: WorkerHostBindings): Promise<Response>;
} {
  const ort = workerRuntime(wasm);
  let rank: ReturnType<typeof createRankingHost> | undefined;
  return {
    async fetch(request, { BUNDLE }) {
      rank ??= createRankingHost((profile) => {
        const source = fetchSource('http://bundle', (address) => BUNDLE.fetch(address));
        return openEngine({ source, sessions: webSessions({ ort }), profile, verify: false });
      });
      return Response.json(await rank((await request.json()) as RankRequest));
    },
  };
}
