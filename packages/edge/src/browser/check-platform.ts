import { FuzzError } from '@fuzzqe/core';

/**
 * Says what this page lacks before anything is fetched.
 *
 * @throws FuzzError `runtime`: no workers, or no WebCrypto.
 */
export function checkPlatform(): void {
  if (typeof Worker === 'undefined')
    throw new FuzzError('runtime', 'expected a page of a browser, got a place without web workers', {
      hint: 'In Node use openEngine with nodeSessions of @fuzzqe/serve; in Workers createWorker of @fuzzqe/edge/worker.',
    });
  // The library's type says that it is always there; an origin without TLS has none.
  if ((crypto as { readonly subtle?: unknown }).subtle === undefined)
    throw new FuzzError(
      'runtime',
      `no crypto.subtle at ${location.origin}: files cannot be compared with their digests`,
      {
        hint: 'Browsers have it on https and on localhost only: serve the page from there.',
      },
    );
}
