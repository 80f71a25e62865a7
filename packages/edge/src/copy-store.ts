import { FuzzError } from '@fuzzqe/core';

/** Copies of files of bundles that outlast the page or the isolate, each under its address and its digest. */
export interface CopyStore {
  /** A copy, or undefined where there is none or none can be read. */
  get(url: string, sha256: string): Promise<Uint8Array | undefined>;
  /** Keeps a copy instead of those of other digests; where none can be kept, that is said once. */
  put(url: string, sha256: string, bytes: Uint8Array): Promise<void>;
  remove(url: string, sha256: string): Promise<void>;
}

/** How all copies are called in the platform's store. */
const storeName = 'fuzzqe-bundles';

/** Copies in Cache Storage. */
export function createCopyStore(
  storage: Pick<CacheStorage, 'open'>,
  warn: (warning: FuzzError) => void,
): CopyStore {
  let usable = true;
  let opening: Promise<Cache> | undefined;
  const using = async <T>(work: (cache: Cache) => Promise<T>): Promise<T | undefined> => {
    if (!usable) return undefined;
    try {
      opening ??= storage.open(storeName);
      return await work(await opening);
    } catch (cause) {
      // Quotas, private windows and policies: all that is lost is time.
      usable = false;
      warn(
        new FuzzError('storage', `no copies of the bundle are kept: ${messageOf(cause)}`, {
          hint: 'It is fetched again next time; free space for this site to keep it.',
          cause,
        }),
      );
      return undefined;
    }
  };
  // Cache Storage passes over fragments, and takes any query.
  const keyOf = (url: string, sha256: string): string => `${url}?sha256=${sha256}`;
  return {
    get: (url, sha256) =>
      using(async (cache) => {
        const response = await cache.match(keyOf(url, sha256));
        return response === undefined ? undefined : new Uint8Array(await response.arrayBuffer());
      }),
    async put(url, sha256, bytes) {
      await using(async (cache) => {
        await cache.delete(url, { ignoreSearch: true });
        const headers = { 'content-length': `${bytes.length}`, 'cache-control': 'max-age=31536000' };
        // Bytes that fetch gave are never shared memory, which the type of an array leaves open.
        await cache.put(keyOf(url, sha256), new Response(bytes as Uint8Array<ArrayBuffer>, { headers }));
      });
    },
    async remove(url, sha256) {
      await using((cache) => cache.delete(keyOf(url, sha256)));
    },
  };
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : `${cause}`);
