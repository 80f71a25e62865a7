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

/** A lifetime at whose end `free` is called once. */
export function createLifetime(free: () => Promise<void>): Lifetime {
  const underWay = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;
  return {
    get open() {
      return closing === undefined;
    },
    async during(work) {
      if (closing !== undefined) throw new FuzzError('runtime', 'the engine is closed', { passing: true });
      const running = work();
      underWay.add(running);
      try {
        return await running;
      } finally {
        underWay.delete(running);
      }
    },
    close() {
      closing ??= Promise.allSettled(underWay).then(free);
      return closing;
    },
  };
}
