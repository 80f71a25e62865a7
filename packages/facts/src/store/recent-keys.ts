/** Idempotency keys that a store remembers. */
export const mostKeys = 10_000;

/** The last idempotency keys, with the epochs of their batches. */
export interface RecentKeys {
  get(key: string): number | undefined;
  /** Remembers a key, and forgets the oldest of too many. */
  set(key: string, epoch: number): void;
  /** The keys with their epochs, the oldest first. */
  entries(): readonly (readonly [key: string, epoch: number])[];
}

/** Starts without keys. */
export function createRecentKeys(most: number = mostKeys): RecentKeys {
  const epochs = new Map<string, number>();
  return {
    get: (key) => epochs.get(key),
    set(key, epoch) {
      epochs.set(key, epoch);
      if (epochs.size > most) epochs.delete(epochs.keys().next().value!);
    },
    entries: () => [...epochs],
  };
}
