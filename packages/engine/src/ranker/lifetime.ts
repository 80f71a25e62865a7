import { FuzzError } from '@fuzzqe/core';

/** The time in which something takes work: until it is closed, which waits for what has begun. */
export interface Lifetime {
  /** False once closing has begun. */
  readonly open: boolean;
  /**
   * Does some work, which `close` waits for.
   *
   * @throws FuzzError `runtime`: it is closed.
   */
  during<T>(work: () => Promise<T>): Promise<T>;
  /** Refuses new work, and frees what is held when what has begun has ended; a second call waits for the first. */
  close(): Promise<void>;
}

/** A lifetime at whose end `free` is called once; `what` is closed then. */
export function createLifetime(free: () => Promise<void>, what = 'the engine'): Lifetime {
  // A number alone: a Set would hold what leaves it (see `createSlots`).
  let underWay = 0;
  let closing: Promise<void> | undefined;
  let lastEnded = (): void => undefined;
  return {
    get open() {
      return closing === undefined;
    },
    async during(work) {
      if (closing !== undefined) throw new FuzzError('runtime', `${what} is closed`, { passing: true });
      underWay += 1;
      try {
        return await work();
      } finally {
        underWay -= 1;
        if (underWay === 0) lastEnded();
      }
    },
    close() {
      closing ??= new Promise<void>((resolve) => {
        if (underWay === 0) resolve();
        else lastEnded = resolve;
      }).then(free);
      return closing;
    },
  };
}
