import type { Ranker } from '@fuzzqe/engine';

/**
 * The same ranker, which releases weights after every call: whatever graphs a call needs are open then, and those of a mode that
 * was not warm are opened by one call, which reads the weights once.
 */
export function releasingRanker(ranker: Ranker, release: () => void): Ranker {
  return {
    ...ranker,
    get runtime() {
      return ranker.runtime;
    },
    get ready() {
      return ranker.ready;
    },
    rank: (batch, limits) => ranker.rank(batch, limits).finally(release),
    warmUp: (mode) => ranker.warmUp(mode).finally(release),
  };
}
