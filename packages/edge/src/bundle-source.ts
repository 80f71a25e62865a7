import { type BundleSource, bundlePaths, type Manifest, sha256Hex, storedFiles } from '@fuzzqe/bundle';
import { FuzzError } from '@fuzzqe/core';
import {
  aFunction,
  anObject,
  aSignal,
  atLeast,
  checkForms,
  checkOptions,
  flag,
  has,
  type OptionForm,
} from '@fuzzqe/engine';
import { type CopyStore, createCopyStore, manifestKey } from './copy-store.ts';
import { type Attempt, type CacheMode, createAttempts, type Fetch } from './read-attempts.ts';

/** How far the reading of one file is. */
export interface ReadProgress {
  readonly path: string;
  /** Read so far; of a copy that was kept, all at once. */
  readonly bytes: number;
  /** All of it, where that is known. */
  readonly of: number | undefined;
}

/** How a bundle is read over a network. */
export interface FetchSourceOptions {
  /** Default: the platform's. */
  readonly fetch?: Fetch;
  /** Go with every request: an `authorization`, where the server asks for a key. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether `fetch` keeps answers of its own, as that of browsers does: then it has to ask whether a manifest is still the newest. */
  readonly httpCache?: boolean;
  /** Ends every read. */
  readonly signal?: AbortSignal;
  /** How long a read may get nothing, in milliseconds. Default 30 000. */
  readonly timeout?: number;
  /** How often a read is tried again after a failure that may pass. Default 3. */
  readonly retries?: number;
  /** The wait before the first of these, in milliseconds; each further one is twice as long. Default 250. */
  readonly backOff?: number;
  /** Keeps verified files for later, with their digests: the platform's `caches`. Default: none are kept. */
  readonly caches?: Pick<CacheStorage, 'open'>;
  readonly onProgress?: (progress: ReadProgress) => void;
  /** Hears of what is not as it should be and yet ends nothing: files that cannot be kept, or an answer from a kept manifest. */
  readonly onWarning?: (warning: FuzzError) => void;
}

const forms: Readonly<Record<keyof FetchSourceOptions, OptionForm>> = {
  fetch: aFunction,
  headers: anObject,
  httpCache: flag,
  signal: aSignal,
  timeout: atLeast(0),
  retries: atLeast(0),
  backOff: atLeast(0),
  caches: ['a store of answers', (value) => has(value, 'open')],
  onProgress: aFunction,
  onWarning: aFunction,
};
export const addressHint = "Give that of its folder, as 'https://example.org/bundle'.";
export const addressForm: OptionForm = [
  'the address of a bundle',
  (value) => value instanceof URL || (typeof value === 'string' && value !== ''),
];

/**
 * A bundle behind an address, read with fetch.
 *
 * The manifest comes from the network, and from the copy that was kept where there is none. Ranges: `address` is the folder's,
 * with or without a slash at its end.
 * @throws FuzzError `bundle`, from `read`: no answer in time, another status than 2xx, a web page, fewer or more bytes than
 * announced. `interrupted`: the signal was raised. `usage`: no address, or an option.
 * @example
 * const source = fetchSource('https://example.org/bundle');
 */
export function fetchSource(address: string | URL, options: FetchSourceOptions = {}): BundleSource {
  checkForms({ address: address ?? null }, { address: addressForm }, 'usage', '$', addressHint);
  checkOptions(options, forms);
  const location = `${address}`.endsWith('/') ? `${address}` : `${address}/`;
  const { onProgress, onWarning, caches } = options;
  const copies: CopyStore | undefined =
    caches === undefined ? undefined : createCopyStore(caches, (warning) => onWarning?.(warning));
  const attempts = createAttempts({
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    headers: options.headers,
    signal: options.signal,
    timeout: options.timeout ?? 30_000,
    retries: options.retries ?? 3,
    backOff: options.backOff ?? 250,
  });
  /** What the platform's store of answers gave wrongly. */
  const discarded = new Set<string>();
  const cacheMode = (url: string, isManifest: boolean): CacheMode | undefined => {
    if (options.httpCache !== true) return undefined;
    if (discarded.has(url)) return 'reload';
    return isManifest ? 'no-cache' : undefined;
  };
  /** The manifest that came last: kept when its bundle was opened. */
  let manifestBytes: Uint8Array | undefined;
  /** Whether an earlier opening kept the same. */
  let isKept = false;
  const urlOf = (path: string): string => location + path.split('/').map(encodeURIComponent).join('/');
  return {
    location,
    async read(path, most = Number.POSITIVE_INFINITY, sha256) {
      const url = urlOf(path);
      const isManifest = path === bundlePaths.manifest;
      const of = sha256 === undefined ? undefined : most;
      const file: Attempt = {
        url,
        path,
        most,
        size: of,
        cache: cacheMode(url, isManifest),
        heard: (bytes) => onProgress?.({ path, bytes, of }),
      };
      const kept = sha256 === undefined ? undefined : await copies?.get(url, sha256);
      if (kept !== undefined) {
        file.heard(kept.length);
        return kept;
      }
      // While the network is asked.
      const copy = isManifest ? copies?.get(url, manifestKey) : undefined;
      try {
        const bytes = await attempts.read(file, async () => (await copy) === undefined);
        if (isManifest) {
          const keptManifest = await copy;
          manifestBytes = bytes;
          isKept = keptManifest !== undefined && isSame(bytes, keptManifest);
        }
        // Nobody may compare what is read from a copy.
        else if (copies !== undefined && sha256 !== undefined && (await sha256Hex(bytes)) === sha256)
          await copies.put(url, sha256, bytes);
        return bytes;
      } catch (error) {
        const keptManifest = await copy;
        if (keptManifest === undefined || !attempts.isUnanswered(error)) throw error;
        onWarning?.(offline(url, error));
        // What is opened without a network was opened last, too.
        manifestBytes = keptManifest;
        isKept = true;
        return keptManifest;
      }
    },
    ...(copies === undefined
      ? {}
      : {
          async keep(manifest: Manifest) {
            const url = urlOf(bundlePaths.manifest);
            const bytes = manifestBytes;
            manifestBytes = undefined;
            const files = Object.entries(storedFiles(manifest)).map(
              ([path, { sha256 }]) => [urlOf(path), sha256] as const,
            );
            const keeping = async (): Promise<void> => {
              if (bytes !== undefined) await copies.put(url, manifestKey, bytes);
              await copies.tidy(location, [[url, manifestKey], ...files]);
            };
            const kept = keeping();
            // Of a bundle that is there, only the time of its last opening is new: nobody has to wait for that.
            if (!isKept) await kept;
          },
        }),
    ...(copies === undefined && options.httpCache !== true
      ? {}
      : {
          async discard(path: string) {
            discarded.add(urlOf(path));
            await copies?.remove(urlOf(path));
          },
        }),
  };
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

function offline(url: string, cause: FuzzError): FuzzError {
  return new FuzzError('bundle', 'no answer: the copy of an earlier visit is used', {
    path: url,
    hint: 'Answers are those of that copy; what changed since then is not in it.',
    cause,
  });
}
