import { FuzzError } from '@fuzzqe/core';
import type { SourceAddress } from './source-address.ts';

/** What one source is read with. */
export interface SourceTask {
  readonly address: SourceAddress;
  /** Where the file that is made of it goes. */
  readonly folder: string;
  /** Milliseconds for which a source may send nothing. */
  readonly patience: number;
  readonly signal?: AbortSignal | undefined;
}

/** Waits for what a source sends, no longer than it may take. */
export interface Watch {
  /** @throws FuzzError `interrupted`, `runtime`: nothing came in time. Whatever the work, or `fail`, throws. */
  for<T>(work: Promise<T>): Promise<T>;
  /** Ends the present and all later waiting: the connection broke. */
  fail(error: unknown): void;
  /** Listens to the signal no longer. */
  end(): void;
}

/** Watches over a source; `soFar` says what had come, as `12 rows`. */
export function createWatch({ address, patience, signal }: SourceTask, soFar: () => string): Watch {
  const { place } = address;
  let reject: (error: unknown) => void = () => {};
  const failed = new Promise<never>((_, give) => {
    reject = give;
  });
  // It may fail while nobody waits.
  failed.catch(() => {});
  const stop = (): void =>
    reject(
      new FuzzError('interrupted', `source: stopped after ${soFar()}`, {
        path: place,
        hint: 'Nothing was written. Run the same command again.',
      }),
    );
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop, { once: true });
  return {
    async for(work) {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_, give) => {
        timer = setTimeout(
          () =>
            give(
              new FuzzError('runtime', `source: expected more, got nothing for ${patience / 1000} s`, {
                path: place,
                hint: `It had sent ${soFar()}. Check the server, or ask for less.`,
              }),
            ),
          patience,
        );
      });
      // What comes after another end of the waiting is nobody's.
      work.catch(() => {});
      try {
        return await Promise.race([work, failed, late]);
      } finally {
        clearTimeout(timer);
      }
    },
    fail: (error) => reject(error),
    end: () => signal?.removeEventListener('abort', stop),
  };
}
