import { bundlePaths } from '@fuzzqe/bundle';
import { FuzzError, messageOf } from '@fuzzqe/core';

/** Copies of files of bundles that outlast the page or the isolate, each under its address, with its digest. */
export interface CopyStore {
  /** A copy, or undefined where there is none of this digest or none can be read. */
  get(url: string, sha256: string): Promise<Uint8Array | undefined>;
  /** Keeps a copy instead of one of another digest; where none can be kept, that is said once. */
  put(url: string, sha256: string, bytes: Uint8Array): Promise<void>;
  remove(url: string): Promise<void>;
  /**
   * Removes what is left of other versions of a bundle, of which `wanted` are the files, of bundles that were not opened for longest,
   * and of others whose opening has not ended for a day: until then another tab may be at it.
   */
  tidy(location: string, wanted: readonly (readonly [url: string, sha256: string])[]): Promise<void>;
}

/** How many bundles have copies: those that were opened last. */
const mostBundles = 4;

/** After how many milliseconds an opening that has not ended never will. */
const longestOpening = 24 * 60 * 60 * 1000;

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
      // Quotas, private windows and policies: all that is lost is time. Files that were on their way fail as well.
      if (!usable) return undefined;
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
  return {
    get: (url, sha256) =>
      using(async (cache) => {
        const copy = await copyIn(cache, url, sha256);
        return copy && new Uint8Array(await copy.arrayBuffer());
      }),
    async put(url, sha256, bytes) {
      await using(async (cache) => {
        const headers = {
          'content-length': `${bytes.length}`,
          'cache-control': 'max-age=31536000',
          [digestHeader]: sha256,
          [timeHeader]: `${Date.now()}`,
        };
        // Bytes that fetch gave are never shared memory, which the type of an array leaves open.
        await cache.put(url, new Response(bytes as Uint8Array<ArrayBuffer>, { headers }));
      });
    },
    async remove(url) {
      await using((cache) => cache.delete(url));
    },
    async tidy(location, wanted) {
      const digestOf = new Map(wanted);
      await using(async (cache) => {
        const urls = await urlsIn(cache);
        const folders = urls.filter((url) => url.endsWith(manifestEnd)).map(folderOf);
        const recent = new Set([location, ...folders.slice(-mostBundles)]);
        const ownerOf = (url: string): string | undefined =>
          folders.filter((folder) => url.startsWith(folder)).sort((a, b) => b.length - a.length)[0];
        for (const url of urls) {
          const owner = ownerOf(url);
          const isOld = owner !== undefined && !recent.has(owner);
          const isAbandoned = async (): Promise<boolean> =>
            owner === undefined && !url.startsWith(location) && (await ageIn(cache, url)) > longestOpening;
          const isOther = async (): Promise<boolean> =>
            owner === location && !(await copyIn(cache, url, digestOf.get(url)));
          if (isOld || (await isAbandoned()) || (await isOther())) await cache.delete(url);
        }
      });
    },
  };
}

/** Where the digest of a copy stands: in the key, Workers could not find what is kept under others. */
const digestHeader = 'sha256';

/** When a copy was made, in milliseconds since 1970. */
const timeHeader = 'kept-at';

/** How old a copy is, in milliseconds; one that does not say so is older than all others. */
async function ageIn(cache: Cache, url: string): Promise<number> {
  const made = (await cache.match(url))?.headers.get(timeHeader);
  return Date.now() - Number(made ?? Number.NEGATIVE_INFINITY);
}

async function copyIn(cache: Cache, url: string, sha256: string | undefined): Promise<Response | undefined> {
  const copy = await cache.match(url);
  return copy?.headers.get(digestHeader) === sha256 ? copy : undefined;
}

/** In the order in which they were kept; a manifest is kept anew whenever its bundle was opened. Workers list none, and drop by themselves what is old. */
async function urlsIn(cache: Cache): Promise<string[]> {
  try {
    return (await cache.keys()).map(({ url }) => url);
  } catch {
    return [];
  }
}

/** What stands for a digest where there is none to compare with. */
export const manifestKey = 'newest';
const manifestEnd = `/${bundlePaths.manifest}`;
const folderOf = (url: string): string => url.slice(0, -manifestEnd.length + 1);
