import { FuzzError, messageOf } from '@fuzzqe/core';

/** The store of the runtime's files in Cache Storage. */
const runtimeStore = 'fuzzqe-runtime';

/** Which .wasm file is wanted, and who hears of it. */
export interface RuntimeFile {
  readonly url: string;
  /** Of the runtime: a copy of another one is thrown away. */
  readonly version: string;
  /** Where copies are kept; undefined keeps none. */
  readonly caches: Pick<CacheStorage, 'open'> | undefined;
  onProgress(done: number, of: number): void;
  /** No copy can be kept. */
  onUncached(cause: unknown): void;
}

/** Cache Storage; undefined where it is not wanted, not there, or refused, as to a sandboxed frame, where its mere mention throws. */
export function cacheStorage(
  isWanted: boolean,
  onUncached: (cause: unknown) => void,
): CacheStorage | undefined {
  try {
    return isWanted ? globalThis.caches : undefined;
  } catch (cause) {
    onUncached(cause);
    return undefined;
  }
}

/** A compiled runtime. */
export interface RuntimeModule {
  readonly module: WebAssembly.Module;
  /** Keeps its file for the next visit, once it has begun to run. */
  keep(): Promise<void>;
  /** Forgets a copy that does not begin to run: the next opening fetches the file. */
  discard(): Promise<void>;
}

/**
 * Compiles the runtime's .wasm file while it comes in, from the copy of an earlier visit where there is one.
 *
 * @throws FuzzError `runtime`: the file is not there, or is none.
 */
export async function loadRuntimeModule(file: RuntimeFile): Promise<RuntimeModule> {
  const key = `${file.url}?version=${file.version}`;
  const copies = await openCopies(file);
  const using = async (work: (cache: Cache) => Promise<unknown>): Promise<void> => {
    if (copies === undefined) return;
    try {
      await work(copies);
    } catch (cause) {
      file.onUncached(cause);
    }
  };
  const discard = (): Promise<void> => using((cache) => cache.delete(key));
  const copy = await copies?.match(key).catch(() => undefined);
  if (copy !== undefined) {
    const module = await WebAssembly.compileStreaming(whole(copy, file)).catch(() => undefined);
    if (module !== undefined) return { module, keep: async () => undefined, discard };
  }
  const response = await fetchFile(file);
  const copied = copies === undefined ? undefined : response.clone();
  try {
    return {
      module: await WebAssembly.compileStreaming(counted(response, file)),
      discard,
      keep: () =>
        using(async (cache) => {
          if (copied === undefined || copied.bodyUsed) return;
          await cache.delete(file.url, { ignoreSearch: true });
          await cache.put(key, copied);
        }),
    };
  } catch (cause) {
    throw runtimeFailure(file, `expected a WebAssembly module: ${messageOf(cause)}`, cause);
  }
}

async function openCopies({ caches, onUncached }: RuntimeFile): Promise<Cache | undefined> {
  try {
    return await caches?.open(runtimeStore);
  } catch (cause) {
    onUncached(cause);
    return undefined;
  }
}

async function fetchFile(file: RuntimeFile): Promise<Response> {
  const response = await fetch(file.url).catch((cause: unknown) => {
    throw runtimeFailure(file, `no answer: ${messageOf(cause)}`, cause);
  });
  const type = response.headers.get('content-type') ?? '';
  if (!response.ok)
    throw runtimeFailure(
      file,
      `expected a .wasm file, got status ${response.status} ${response.statusText}`.trim(),
    );
  if (type.startsWith('text/html')) throw runtimeFailure(file, 'expected a .wasm file, got a web page');
  return response;
}

/** A copy as it is, for a browser that keeps compiled code next to it; one of another type with its bytes counted. */
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

/** What is wrong with a file that is no runtime. */
export function runtimeFailure(
  { url }: Pick<RuntimeFile, 'url'>,
  message: string,
  cause?: unknown,
): FuzzError {
  return new FuzzError('runtime', message, {
    path: url,
    hint: `Serve the .wasm files of onnxruntime-web/dist in ${new URL('.', url).href}, or give their folder as the option wasm.`,
    cause,
  });
}
