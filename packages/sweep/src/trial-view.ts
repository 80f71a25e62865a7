import type { SweepStore } from './store/sweep-store.ts';
import { type TrialEntry, trialEntries, trialKeys, untouched } from './store/trial-keys.ts';

/** What a process knows of the trials of a sweep: a listing, and what it saw by itself since. */
export interface TrialView {
  /**
   * How it stands with each trial that somebody has claimed, by its number. A listing is used again for ten times as long as it took, so that
   * listings are a tenth of the time at most; `fresh` makes a new one.
   */
  entries(options?: { readonly fresh?: boolean }): Promise<ReadonlyMap<number, TrialEntry>>;
  /** Adds what this process did or saw. */
  note(trial: number, entry: Partial<TrialEntry>): void;
  /** How many listings there were. */
  readonly listings: number;
}

/** Opens the view of a process, of all trials or of one; by another clock (milliseconds) where one is given. */
export function createTrialView(
  store: SweepStore,
  only?: number,
  clock: () => number = () => performance.now(),
): TrialView {
  let [listings, until] = [0, Number.NEGATIVE_INFINITY];
  let entries = new Map<number, TrialEntry>();
  return {
    get listings() {
      return listings;
    },
    async entries({ fresh = false } = {}) {
      const begun = clock();
      if (!fresh && begun < until) return entries;
      entries = trialEntries(await store.list(only === undefined ? trialKeys.all : trialKeys.of(only)));
      listings += 1;
      const now = clock();
      until = now + 10 * (now - begun);
      return entries;
    },
    note(trial, entry) {
      entries.set(trial, { ...(entries.get(trial) ?? untouched), ...entry });
    },
  };
}
