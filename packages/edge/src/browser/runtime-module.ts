import { FuzzError } from '@fuzzqe/core';
import { writeRuntimeImage } from '../record-image.ts';
import { openRuntimeImage } from '../runtime-image.ts';

/** Which .wasm file is wanted, and who hears of it. */
export interface RuntimeFile {
  readonly url: string;
  /** Of the runtime: a copy of another one is thrown away. */
  readonly version: string;
  /** Where copies are kept; undefined keeps none. */
  readonly caches: Pick<CacheStorage, 'open'> | undefined;
  /** Whether the runtime can begin from an image: a copy of one is read only then. */
  readonly hasImage: boolean;
  onProgress(done: number, of: number): void;
  /** No copy can be kept. */
  onUncached(cause: unknown): void;
}

/** A compiled runtime. */
export interface RuntimeModule {
  readonly module: WebAssembly.Module;
  /** What an earlier visit kept of the same file, for the runtime to begin from; undefined where there is none. */
  readonly image: Uint8Array | undefined;
  /** Keeps its file for the next visit: for one that has begun to run, and what that began with, where it is new. */
  keep(image?: Uint8Array): Promise<void>;
  /** Forgets a copy that does not begin to run: the next opening fetches the file. */
  discard(): Promise<void>;
}

const storeName = 'fuzzqe-runtime';

/**
 * Compiles the runtime's .wasm file while it comes in, from the copy of an earlier visit where there is one.
 *
 * @throws FuzzError `runtime`: the file is not there, or is none.
 */
export async function loadRuntimeModule(file: RuntimeFile): Promise<RuntimeModule> {
  const copies = await openCopies(file);
  const key = `${file.url}?version=${file.version}`;
  const using = async (work: (cache: Cache) => Promise<unknown>): Promise<void> => {
    if (copies === undefined) return;
    try {
      await work(copies);
    } catch (cause) {
      file.onUncached(cause);
    }
  };
  const imageKey = `${key}&image`;
  const discard = (): Promise<void> =>
    using(async (cache) => Promise.all([cache.delete(key), cache.delete(imageKey)]));
  const putImage = async (cache: Cache, image: Uint8Array | undefined): Promise<void> => {
    if (image === undefined) return;
    // What was written here is no shared memory, which the type of an array leaves open.
    const bytes = (await writeRuntimeImage(file.version, image)) as Uint8Array<ArrayBuffer>;
    await cache.put(imageKey, new Response(bytes));
  };
  const readImage = async (): Promise<Uint8Array | undefined> => {
    const kept = file.hasImage ? await copies?.match(imageKey) : undefined;
    return kept && openRuntimeImage(file.version, new Uint8Array(await kept.arrayBuffer()));
  };
  const copy = await copies?.match(key).catch(() => undefined);
  if (copy !== undefined) {
    const [module, image] = await Promise.all([
      WebAssembly.compileStreaming(whole(copy, file)).catch(() => undefined),
      // One that is damaged is made again.
      readImage().catch(() => undefined),
    ]);
    if (module !== undefined)
      return { module, image, keep: (made) => using((cache) => putImage(cache, made)), discard };
  }
  const response = await fetchFile(file);
  const copied = copies === undefined ? undefined : response.clone();
  try {
    return {
      module: await WebAssembly.compileStreaming(counted(response, file)),
      image: undefined,
      discard,
      keep: (made) =>
        using(async (cache) => {
          if (copied === undefined || copied.bodyUsed) return;
          await cache.delete(file.url, { ignoreSearch: true });
          await cache.put(key, copied);
          await putImage(cache, made);
        }),
    };
  } catch (cause) {
    throw failure(file, `expected a WebAssembly module: ${messageOf(cause)}`, cause);
  }
}

async function openCopies({ caches, onUncached }: RuntimeFile): Promise<Cache | undefined> {
  try {
    return await caches?.open(storeName);
  } catch (cause) {
    onUncached(cause);
    return undefined;
  }
}

async function fetchFile(file: RuntimeFile): Promise<Response> {
  const response = await fetch(file.url).catch((cause: unknown) => {
    throw failure(file, `no answer: ${messageOf(cause)}`, cause);
  });
  const type = response.headers.get('content-type') ?? '';
  if (!response.ok)
    throw failure(file, `expected a .wasm file, got status ${response.status} ${response.statusText}`.trim());
  if (type.startsWith('text/html')) throw failure(file, 'expected a .wasm file, got a web page');
  return response;
}

/** A copy as it is, for a browser that keeps compiled code beside it; one of another type with its bytes counted. */
function whole(copy: Response, file: RuntimeFile): Response {
  if (copy.headers.get('content-type') !== wasmType) return counted(copy, file);
  const length = Number(copy.headers.get('content-length') ?? 0);
  if (!copy.headers.has('content-encoding')) file.onProgress(length, length);
  return copy;
}

const wasmType = 'application/wasm';

/** The same file with its bytes counted, as the type that streams are compiled of. */
function counted(response: Response, { onProgress }: RuntimeFile): Response {
  const announced = Number(response.headers.get('content-length') ?? 0);
  const isEncoded = response.headers.has('content-encoding');
  let done = 0;
  const count = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(part, to) {
      done += part.length;
      onProgress(done, Math.max(done, isEncoded ? 0 : announced));
      to.enqueue(part);
    },
  });
  // A file that was fetched has a body.
  return new Response(response.body!.pipeThrough(count), { headers: { 'content-type': wasmType } });
}

function failure({ url }: RuntimeFile, message: string, cause?: unknown): FuzzError {
  return new FuzzError('runtime', message, {
    path: url,
    hint: 'Serve the .wasm files of onnxruntime-web/dist there, or give their folder as the option wasm.',
    cause,
  });
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : `${cause}`);
