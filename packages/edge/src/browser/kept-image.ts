import { writeRuntimeImage } from '../record-image.ts';
import { openRuntimeImage } from '../runtime-image.ts';
import { runtimeStore } from './runtime-module.ts';

/** What the runtime of an earlier visit began with. */
export interface KeptImage {
  /** Nothing where none was kept, or one that is damaged: it is made again. */
  read(): Promise<Uint8Array | undefined>;
  /** Keeps one for the next visit; where nothing can be kept, that begins by itself. */
  keep(image: Uint8Array): Promise<void>;
  /** Forgets one from which the runtime did not begin to run. */
  discard(): Promise<void>;
}

/** The image of a .wasm file of some version, in Cache Storage beside its copy; `caches` undefined keeps none. */
export function keptImage(
  caches: Pick<CacheStorage, 'open'> | undefined,
  wasmUrl: string,
  version: string,
): KeptImage {
  const url = `${wasmUrl}.image`;
  const key = `${url}?version=${version}`;
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
        const kept = await cache.match(key);
        return kept && openRuntimeImage(version, new Uint8Array(await kept.arrayBuffer()));
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
