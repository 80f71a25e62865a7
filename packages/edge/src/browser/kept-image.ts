import { writeRuntimeImage } from '../record-image.ts';
import { openRuntimeImage } from '../runtime-image.ts';
import type { KeptRuntime } from './kept-runtime.ts';
import { runtimeStore } from './runtime-store.ts';

/** What a call of the runtime did to its memory at an earlier visit. */
export interface KeptImage {
  /** Nothing where none was kept, or one that is damaged: it is made again. */
  read(): Promise<Uint8Array | undefined>;
  /** Keeps one for the next visit, in place of those of the same `url`; where nothing can be kept, the call is made again. */
  keep(image: Uint8Array): Promise<void>;
  /** Forgets one with which the runtime did not run. */
  discard(): Promise<void>;
}

/**
 * An image of the memory of some version of the runtime, in Cache Storage beside the copy of its file; `caches` undefined keeps none.
 *
 * `of` names what it depends on beside the version; `kept` has the file that somebody else has read meanwhile.
 */
export function keptImage(
  caches: Pick<CacheStorage, 'open'> | undefined,
  url: string,
  version: string,
  kept: Promise<KeptRuntime>,
  of = '',
): KeptImage {
  const key = `${url}?version=${version}${of}`;
  const using = async <T>(work: (cache: Cache) => Promise<T>): Promise<T | undefined> => {
    try {
      return caches && (await work(await caches.open(runtimeStore)));
    } catch {
      return undefined;
    }
  };
  return {
    read: () =>
      using(async (cache) => {
        const image = (await kept).image;
        const file = image?.key === key ? image.file : await (await cache.match(key))?.arrayBuffer();
        return file && openRuntimeImage(version, new Uint8Array(file));
      }),
    keep: (image) =>
      using(async (cache) => {
        // What was written here is no shared memory, which the type of an array leaves open.
        const bytes = (await writeRuntimeImage(version, image)) as Uint8Array<ArrayBuffer>;
        await cache.delete(url, { ignoreSearch: true });
        await cache.put(key, new Response(bytes));
      }),
    async discard() {
      await using((cache) => cache.delete(key));
    },
  };
}
