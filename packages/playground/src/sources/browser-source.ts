import { FuzzError, messageOf } from '@fuzzqe/core';
import type { OpenProgress } from '@fuzzqe/edge/browser';
import { type AnswerSource, SourceError } from './answer-source.ts';
import { httpSource } from './http-source.ts';

/** The version of onnxruntime-web, in the name of the folder of its files, so that they may be kept for ever. */
declare const runtimeVersion: string;

/** Where a bundle is, and what is told while it opens. */
export interface BrowserSourceOptions {
  /** The folder of the bundle. */
  readonly bundle: URL;
  /** Whether the runtime for the graphics processor may be used, where there is one. */
  readonly webgpu: boolean;
  /** The key that its server asks for. */
  readonly key?: string | undefined;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: OpenProgress) => void;
  /** Told what goes on in another way than was asked for: without a cache, with fewer threads, on another device. */
  readonly onWarning?: (message: string) => void;
}

/**
 * Opens a bundle in this browser as a source of answers: the same API as a server's, without the way there.
 *
 * Everything it needs is loaded now and not with the page.
 * @throws SourceError `failed`: the bundle cannot be opened here, with the reason.
 */
export async function browserSource(options: BrowserSourceOptions): Promise<AnswerSource> {
  const { bundle, webgpu, key, signal, onProgress, onWarning } = options;
  try {
    const [{ openBundle }, { createApp }, { wordsPart }] = await Promise.all([
      import('@fuzzqe/edge/browser'),
      import('@fuzzqe/api'),
      import('@fuzzqe/api/words'),
    ]).catch((cause: unknown) => {
      throw new SourceError('unreachable', 'What answers in this browser cannot be fetched.', {
        hint: 'Check that the server is running, then ask again.',
        cause,
      });
    });
    const engine = await openBundle(bundle, {
      // The graphics processor needs another runtime of twice the size, which few sites have.
      runtime: webgpu ? 'auto' : 'wasm',
      wasm: new URL(`runtime-${runtimeVersion}/`, globalThis.location.href),
      ...(key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } }),
      ...(signal === undefined ? {} : { signal }),
      ...(onProgress === undefined ? {} : { onProgress }),
      onWarning: ({ message }) => onWarning?.(message),
    });
    // Nobody else waits for this browser, so a question may take as long as its asker has patience.
    const app = createApp(engine, {
      mount: [wordsPart()],
      costLimit: Number.POSITIVE_INFINITY,
      timeout: 600_000,
    });
    const api = httpSource({
      kind: 'browser',
      address: 'http://localhost',
      fetch: (address, init) => app.request(address, init),
      onClose: () => engine.close(),
    });
    return {
      ...api,
      // In the worker: the first search prepares names for a while.
      names: (text, { limit = 10, offset = 0 } = {}) =>
        text === '' ? api.names(text, { limit, offset }) : engine.searchEntities(text, { limit, offset }),
    };
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof SourceError) throw cause;
    const { message, hint } = describe(cause);
    throw new SourceError('failed', message, { hint, cause });
  }
}

function describe(cause: unknown): { readonly message: string; readonly hint: string | undefined } {
  if (!(cause instanceof FuzzError)) return { message: messageOf(cause), hint: undefined };
  const { path, message, hint } = cause;
  // Which file it is, where it is about one.
  return { message: path === undefined ? message : `${path}: ${message}`, hint };
}
