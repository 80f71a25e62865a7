import { FuzzError } from '@fuzzqe/core';
import type { BundleSource } from '@fuzzqe/core/bundle';

/** The one function of the platform that is needed; a Worker's asset binding has it too. */
export type Fetch = (address: string) => Promise<Response>;

/**
 * A bundle behind an address, read with fetch.
 *
 * Ranges: `address` is the folder's, with or without a slash at its end.
 * @throws FuzzError `bundle`, at the first read: no answer, another status than 2xx, fewer or more bytes than announced.
 */
export function fetchSource(address: string | URL, fetchFile: Fetch = (url) => fetch(url)): BundleSource {
  const location = `${address}`.endsWith('/') ? `${address}` : `${address}/`;
  return {
    location,
    async read(path) {
      const url = location + path.split('/').map(encodeURIComponent).join('/');
      const response = await fetchFile(url).catch((cause: unknown) => {
        throw failure(url, `no answer: ${cause instanceof Error ? cause.message : cause}`, cause);
      });
      if (!response.ok) {
        const status = `${response.status} ${response.statusText}`.trim();
        throw failure(url, `expected the file ${path}, got status ${status}`);
      }
      const bytes = await response.arrayBuffer().catch((cause: unknown) => {
        throw failure(url, 'the connection broke off', cause);
      });
      checkLength(url, response.headers, bytes.byteLength);
      return new Uint8Array(bytes);
    },
  };
}

/** A length is that of the bytes on the wire, so it says nothing where they were compressed. */
function checkLength(url: string, headers: Headers, got: number): void {
  const announced = headers.get('content-length');
  if (announced === null || headers.has('content-encoding') || Number(announced) === got) return;
  throw failure(url, `expected ${announced} bytes, got ${got}`);
}

function failure(url: string, message: string, cause?: unknown): FuzzError {
  return new FuzzError('bundle', message, {
    path: url,
    hint: 'Check that the address is that of a bundle, and try again.',
    cause,
  });
}
