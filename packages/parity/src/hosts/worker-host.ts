import { fetchSource, webSessions } from '@fuzzqe/edge';
import { workerRuntime } from '@fuzzqe/edge/worker';
import { openEngine } from '@fuzzqe/engine';
import { type AnswerHost, createAnswerHost } from './answer-host.ts';

/** What is bound to the Worker. */
export interface WorkerHostBindings {
  readonly BUNDLE: { fetch(address: string): Promise<Response> };
}

/** A Worker that answers; only its requests have bindings, so it opens the bundle then. */
export function createWorkerHost(wasm: WebAssembly.Module): {
  fetch(request: Request, bindings: WorkerHostBindings): Promise<Response>;
} {
  const ort = workerRuntime(wasm);
  let answer: AnswerHost | undefined;
  return {
    async fetch(request, { BUNDLE }) {
      answer ??= createAnswerHost((profile) => {
        const source = fetchSource('http://bundle', { fetch: (address) => BUNDLE.fetch(address) });
        return openEngine({ source, sessions: webSessions({ ort }), profile, verify: false });
      });
      return new Response(await answer(await request.text()));
    },
  };
}
