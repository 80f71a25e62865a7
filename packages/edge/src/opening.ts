import { FuzzError } from '@fuzzqe/core';

/** What Workers give with a request: work that goes on after its answer, or after its client has gone. */
export interface RequestContext {
  waitUntil(work: Promise<unknown>): void;
}

/** Something that is opened by the first request that needs it, and shared by all. */
export interface Opening<T> {
  /** @throws what opening threw. FuzzError `deadline`: it takes too long for this request. */
  get(context?: RequestContext): Promise<T>;
  /** It is open and yet of no use: everybody hears of this from now on. */
  fail(reason: FuzzError): void;
}

/** Opens once; again only where files could not be read, or where the request that opened has come to nothing. */
export function createOpening<T>(
  open: () => Promise<T>,
  { openTimeout = 30_000 }: { readonly openTimeout?: number } = {},
): Opening<T> {
  let current: Promise<T> | undefined;
  let failed: FuzzError | undefined;
  return {
    async get(context) {
      if (failed !== undefined) throw failed;
      current ??= open();
      const opening = current;
      // Every request keeps it going: the platform ends work whose requests are all gone.
      context?.waitUntil(opening.catch(() => undefined));
      try {
        return await inTime(opening, openTimeout);
      } catch (error) {
        if (current === opening && passes(error)) current = undefined;
        throw error;
      }
    },
    fail(reason) {
      failed = reason;
    },
  };
}

/** Files may be there at the next attempt; a runtime that failed to begin fails for good. */
function passes(error: unknown): boolean {
  return !(error instanceof FuzzError) || !['runtime', 'usage'].includes(error.code);
}

async function inTime<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, refuse) => {
    timer = setTimeout(() => {
      refuse(
        new FuzzError('deadline', `the bundle was not open after ${milliseconds} ms`, {
          hint: 'Look at how fast its files come, or allow more with openTimeout.',
        }),
      );
    }, milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
