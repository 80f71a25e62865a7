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

/** Watches over a source; `soFar` says what had come, as `12 rows`. Work is waited for one after the other. */
export function createWatch({ address, patience, signal }: SourceTask, soFar: () => string): Watch {
  const { place } = address;
  let failure: { readonly error: unknown } | undefined;
  /** Ends the present waiting. A race of promises would keep what each one left, for as long as the source is read. */
  let give: ((error: unknown) => void) | undefined;
  const fail = (error: unknown): void => {
    failure ??= { error };
    give?.(failure.error);
  };
  const stop = (): void =>
    fail(
      new FuzzError('interrupted', `source: stopped after ${soFar()}`, {
        path: place,
        hint: 'Nothing was written. Run the same command again.',
      }),
    );
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop, { once: true });
  const timer = setTimeout(
    () =>
      give?.(
        new FuzzError('runtime', `source: expected more, got nothing for ${patience / 1000} s`, {
          path: place,
          hint: `It had sent ${soFar()}. Check the server, or ask for less.`,
        }),
      ),
    patience,
  );
  return {
    for<T>(work: Promise<T>): Promise<T> {
      timer.refresh();
      return new Promise<T>((resolve, reject) => {
        give = reject;
        if (failure !== undefined) reject(failure.error);
        work.then(resolve, reject).finally(() => {
          give = undefined;
        });
      });
    },
    fail,
    end() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
    },
  };
}
