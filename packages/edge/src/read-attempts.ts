import { FuzzError, isPassing, messageOf } from '@fuzzqe/core';
import { readBody } from './read-body.ts';

/** What a request is made with, apart from its address. */
export interface FetchInit {
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How the store of answers of browsers is used. Not among what every platform's `fetch` takes, as that of Workers does not. */
export type CacheMode = 'no-cache' | 'reload';

/** The one function of the platform that is needed; a Worker's asset binding has it too. */
export type Fetch = (address: string, init?: FetchInit) => Promise<Response>;

/** One file that is to be read. */
export interface Attempt {
  readonly url: string;
  readonly path: string;
  /** How many bytes it may have. */
  readonly most: number;
  /** How many it has, where that is known. */
  readonly size: number | undefined;
  /** How the platform's own store of answers is to be used. */
  readonly cache: CacheMode | undefined;
  /** Hears how many bytes have come. */
  heard(bytes: number): void;
}

interface AttemptOptions {
  readonly fetch: Fetch;
  readonly headers: FetchInit['headers'] | undefined;
  readonly signal: AbortSignal | undefined;
  readonly timeout: number;
  readonly retries: number;
  readonly backOff: number;
}

/** Reads files over a network that fails. */
export interface Attempts {
  /**
   * Where nobody answered it asks whether to try again.
   *
   * @throws FuzzError `bundle`: what cannot pass at once, or has not passed. `interrupted`: the signal was raised.
   */
  read(file: Attempt, unansweredAgain: () => Promise<boolean>): Promise<Uint8Array>;
  /** Whether a read failed because nobody answered: of an address that answers, the answer counts. */
  isUnanswered(error: unknown): error is FuzzError;
}

/** Tries what may pass again, after waits that double: no answer, an overloaded server, a connection that broke off. */
export function createAttempts(options: AttemptOptions): Attempts {
  const { signal, retries, backOff } = options;
  const unanswered = new WeakSet();
  const isUnanswered = (error: unknown): error is FuzzError =>
    error instanceof FuzzError && unanswered.has(error);
  return {
    async read(file, unansweredAgain) {
      for (let attempt = 0; ; attempt += 1) {
        try {
          return await readOnce(file, options, unanswered);
        } catch (error) {
          if (signal?.aborted === true) throw givenUp(file, signal);
          const again = isPassing(error) && (!isUnanswered(error) || (await unansweredAgain()));
          if (!again || attempt >= retries) throw error;
          await waiting(backOff * 2 ** attempt, signal);
        }
      }
    },
    isUnanswered,
  };
}

async function readOnce(
  file: Attempt,
  { fetch, headers, signal, timeout }: AttemptOptions,
  unanswered: WeakSet<object>,
): Promise<Uint8Array> {
  if (signal?.aborted === true) throw givenUp(file, signal);
  const { url, path, most, size, cache } = file;
  const init = { ...(headers && { headers }), ...(cache && { cache }) };
  const abort = new AbortController();
  const stop = (): void => abort.abort(signal?.reason);
  signal?.addEventListener('abort', stop, { once: true });
  let late = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  // Counts from the last byte: a slow line may take its time, a dead one may not. One timer for all parts, of which there are thousands.
  let heardAt = performance.now();
  const watch = (wait: number): void => {
    timer = setTimeout(() => {
      const rest = heardAt + timeout - performance.now();
      if (rest > 0) return watch(rest);
      late = true;
      abort.abort();
    }, wait);
  };
  const broken = (what: string, cause: unknown): FuzzError => {
    const why = late ? `nothing came for ${timeout} ms` : messageOf(cause);
    return failure(url, `${what}: ${why}`, true, cause);
  };
  try {
    watch(timeout);
    const response = await untilAborted(fetch(url, { ...init, signal: abort.signal }), abort.signal).catch(
      (cause: unknown) => {
        const error = broken('no answer', cause);
        unanswered.add(error);
        throw error;
      },
    );
    if (!response.ok) {
      const status = `${response.status} ${response.statusText}`.trim();
      const passing = response.status >= 500 || [408, 429].includes(response.status);
      throw failure(url, `expected the file ${path}, got status ${status}`, passing);
    }
    if (response.headers.get('content-type')?.startsWith('text/html') === true)
      throw failure(url, `expected the file ${path}, got a web page`);
    const announced = announcedLength(response);
    const tooLong = (): FuzzError => failure(url, `too long: expected at most ${most} bytes`);
    if (announced !== undefined && announced > most) throw tooLong();
    const reading = readBody(response, {
      most,
      size: announced ?? size,
      tooLong,
      heard(length) {
        heardAt = performance.now();
        file.heard(length);
      },
      signal: abort.signal,
    });
    const bytes = await untilAborted(reading, abort.signal).catch((cause: unknown) => {
      throw cause instanceof FuzzError ? cause : broken('the connection broke off', cause);
    });
    if (announced !== undefined && announced !== bytes.length)
      throw failure(url, `expected ${announced} bytes, got ${bytes.length}`, true);
    return bytes;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}

/** The length that is announced of a body; it says nothing where the bytes on the wire were, or may have been, compressed. */
function announcedLength({ headers, type }: Response): number | undefined {
  const text = headers.get('content-length');
  // Of another origin's answers the encoding is hidden, while the length is not.
  return text === null || type === 'cors' || headers.has('content-encoding') ? undefined : Number(text);
}

/** Work that ends with a signal, whether or not the platform ends it. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((settle, refuse) => {
    const stop = (): void => refuse(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(settle, refuse).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** Some milliseconds, or until the signal is raised, which anyone who waits looks at. */
function waiting(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((settle) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      settle();
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener('abort', end, { once: true });
  });
}

function givenUp({ url }: Attempt, signal: AbortSignal): FuzzError {
  return new FuzzError('interrupted', 'reading the bundle was given up', { path: url, cause: signal.reason });
}

function failure(url: string, message: string, passing = false, cause?: unknown): FuzzError {
  return new FuzzError('bundle', message, {
    path: url,
    hint: 'Check that the address is that of a bundle, and try again.',
    passing,
    cause,
  });
}
