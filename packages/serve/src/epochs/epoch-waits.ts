/** An epoch that rises, and what waits for it. */
export interface EpochWaits {
  readonly epoch: number;
  /** Sets the epoch; a lower one does nothing. */
  rise(epoch: number): void;
  /** Waits until the epoch is there, for some milliseconds at most; says whether the epoch is there. */
  until(epoch: number, milliseconds: number, signal?: AbortSignal): Promise<boolean>;
  /** Lets everything that waits go, now and from now on. */
  end(): void;
}

/** Starts at an epoch. */
export function createEpochWaits(first: number): EpochWaits {
  const waits = new Set<{ readonly wanted: number; readonly done: () => void }>();
  let epoch = first;
  let isEnded = false;
  return {
    get epoch() {
      return epoch;
    },
    rise(to) {
      epoch = Math.max(epoch, to);
      for (const { wanted, done } of waits) if (wanted <= epoch) done();
    },
    async until(wanted, milliseconds, signal) {
      if (wanted <= epoch || isEnded || signal?.aborted === true) return wanted <= epoch;
      await new Promise<void>((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', done);
          waits.delete(wait);
          resolve();
        };
        const wait = { wanted, done };
        const timer = setTimeout(done, milliseconds);
        signal?.addEventListener('abort', done);
        waits.add(wait);
      });
      return wanted <= epoch;
    },
    end() {
      isEnded = true;
      for (const { done } of waits) done();
    },
  };
}
