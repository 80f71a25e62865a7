import { FuzzError } from '@fuzzqe/core';

/** The smallest module with an instruction of SIMD: i8x16.splat. */
const simdModule = Uint8Array.of(
  ...[0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11],
);

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

/**
 * Says that no runtime of graphs runs in this browser.
 *
 * @throws FuzzError `runtime`: no WebAssembly with SIMD.
 */
export function checkWebAssembly(): void {
  if (typeof WebAssembly === 'undefined' || !WebAssembly.validate(simdModule))
    throw new FuzzError('runtime', 'this browser has no WebAssembly with SIMD', {
      hint: 'Chrome and Edge have it from 91 on, Firefox from 89 on, Safari from 16.4 on.',
    });
}
