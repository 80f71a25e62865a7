import type { App } from '@fuzzqe/api';

/** Milliseconds for which the rest of a refused body is read. */
const restTime = 1000;

/**
 * Answers a request, and reads the rest of a body that is refused, for a second at most.
 *
 * The proxy of `wrangler dev` keeps its connection to the Worker for other clients. If a body without a length was not read to its end, the
 * connection closes, and the next request gets 503.
 */
export async function answerWhole(app: Pick<App, 'fetch'>, request: Request): Promise<Response> {
  const rest = request.headers.has('content-length') ? null : request.clone().body;
  const response = await app.fetch(request);
  if (!response.ok)
    await rest
      ?.pipeTo(new WritableStream(), { signal: AbortSignal.timeout(restTime) })
      .catch(() => undefined);
  return response;
}
