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
    async read(path, most = Number.POSITIVE_INFINITY) {
      const url = location + path.split('/').map(encodeURIComponent).join('/');
      const response = await fetchFile(url).catch((cause: unknown) => {
        throw failure(url, `no answer: ${cause instanceof Error ? cause.message : cause}`, cause);
      });
      if (!response.ok) {
        const status = `${response.status} ${response.statusText}`.trim();
        throw failure(url, `expected the file ${path}, got status ${status}`);
      }
      const announced = announcedLength(response.headers);
      const tooLong = (): FuzzError => failure(url, `too long: expected at most ${most} bytes`);
      if (announced !== undefined && announced > most) throw tooLong();
      // What is announced is where the body ends; of any other nobody knows when it does.
      const reading =
        announced === undefined && Number.isFinite(most)
          ? readAtMost(response, most, tooLong)
          : response.arrayBuffer().then((buffer) => new Uint8Array(buffer));
      const bytes = await reading.catch((cause: unknown) => {
        throw cause instanceof FuzzError ? cause : failure(url, 'the connection broke off', cause);
      });
      if (announced !== undefined && announced !== bytes.length)
        throw failure(url, `expected ${announced} bytes, got ${bytes.length}`);
      return bytes;
    },
  };
}

/** The length that is announced of a body; it says nothing where the bytes on the wire were compressed. */
function announcedLength(headers: Headers): number | undefined {
  const text = headers.get('content-length');
  return text === null || headers.has('content-encoding') ? undefined : Number(text);
}

/** A body that may have so many bytes, in memory once: weights are most of what a Worker has. */
async function readAtMost(response: Response, most: number, tooLong: () => FuzzError): Promise<Uint8Array> {
  const bytes = new Uint8Array(most);
  let length = 0;
  // The type of a body knows no iterator, which every runtime has but older browsers.
  const reader = response.body?.getReader();
  for (;;) {
    const part = await reader?.read();
    if (part === undefined || part.done)
      return length * 2 < most ? bytes.slice(0, length) : bytes.subarray(0, length);
    if (length + part.value.length > most) {
      await reader?.cancel();
      throw tooLong();
    }
    bytes.set(part.value, length);
    length += part.value.length;
  }
}

function failure(url: string, message: string, cause?: unknown): FuzzError {
  return new FuzzError('bundle', message, {
    path: url,
    hint: 'Check that the address is that of a bundle, and try again.',
    cause,
  });
}
