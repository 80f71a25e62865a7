import type { ServerResponse } from 'node:http';

/** Milliseconds in which a refusal has come back. */
const secondAsk = 100;

/**
 * A client that has ended its side either waits for the answer or is gone, which look the same. An interim response, which
 * clients have to pass over (RFC 9110, 15.2), makes the system of one that is gone refuse the connection; the second finds that out.
 */
export function askWhetherGone(response: ServerResponse | undefined): void {
  const ask = (): void => {
    if (response === undefined || response.headersSent || response.closed) return;
    // HTTP/1.0 has no interim responses: its clients would take it for the answer.
    if (response.req.httpVersionMinor > 0) response.writeContinue();
  };
  ask();
  setTimeout(ask, secondAsk).unref();
}
