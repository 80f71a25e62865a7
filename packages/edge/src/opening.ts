import { FuzzError } from '@fuzzqe/core';

/** What Workers give with a request: work that goes on after its answer, or after its client has gone. */
export interface RequestContext {
  waitUntil(work: Promise<unknown>): void;
}

/** How long Workers let work go on after its request, in milliseconds. */
export const workOutlives = 30_000;

/** Something that is opened by the first request that needs it, and shared by all. */
export interface Opening<T> {
  /** @throws what opening threw. FuzzError `deadline`: it takes too long for this request. */
  get(context?: RequestContext): Promise<T>;
  /** It is open and yet of no use: everybody hears of this from now on. */
  fail(reason: FuzzError): void;
  /** It is open and yet stuck: the next request opens anew. */
  drop(opened: T): void;
}

/** How long requests wait for an opening. */
export interface OpeningOptions {
  /** In milliseconds. Default 30 000. */
  readonly openTimeout?: number;
  readonly now?: () => number;
}

/**
 * Opens once; again only where files could not be read, where the runtime lacked something that it may have later, or where the request
 * that opened has come to nothing.
 *
 * An opening that is slow goes on for the requests to come. In Workers its reads are those of the request that began it, and come
 * to nothing some time after that has ended: then the next request begins again, and `isWanted` says so to the former one.
 */
export function createOpening<T>(
  open: (isWanted: () => boolean) => Promise<T>,
  { openTimeout = 30_000, now = Date.now }: OpeningOptions = {},
): Opening<T> {
  let current: { readonly opening: Promise<T>; readonly goneAfter: number } | undefined;
  let opened: T | undefined;
  let failed: FuzzError | undefined;
  const begin = (context: RequestContext | undefined): NonNullable<typeof current> => {
    let own: typeof current;
    const opening = open(() => current === own);
    own = { opening, goneAfter: context === undefined ? Infinity : now() + openTimeout + workOutlives };
    const begun = own;
    opening.then(
      (value) => {
        if (current === begun) opened = value;
      },
      (error: unknown) => {
        if (current === begun && mayDiffer(error)) current = undefined;
      },
    );
    return begun;
  };
  return {
    async get(context) {
      if (failed !== undefined) throw failed;
      if (current !== undefined && opened === undefined && now() > current.goneAfter) current = undefined;
      current ??= begin(context);
      const { opening } = current;
      // Every request keeps it going: the platform ends work whose requests are all gone.
      context?.waitUntil(opening.catch(() => undefined));
      return inTime(opening, openTimeout);
    },
    fail(reason) {
      failed = reason;
    },
    drop(value) {
      if (opened !== value) return;
      opened = undefined;
      current = undefined;
    },
  };
}

/** Files may be there at the next attempt, and so may memory for a graph; what else a runtime refuses it refuses for good. */
function mayDiffer(error: unknown): boolean {
  return !(error instanceof FuzzError) || error.passing || !['runtime', 'usage'].includes(error.code);
}

/** Waits no longer for work than so many milliseconds. @throws FuzzError `deadline`. */
export async function inTime<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, refuse) => {
    timer = setTimeout(() => {
      refuse(
        new FuzzError('deadline', `the bundle was not open after ${milliseconds} ms`, {
          hint: 'Allow more with openTimeout.',
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
