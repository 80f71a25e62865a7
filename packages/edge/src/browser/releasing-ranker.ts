import type { Ranker } from '@fuzzqe/engine';
import { rankerWith } from '../ranker-with.ts';

/**
 * The same ranker, which releases weights after every call: whatever graphs a call needs are open then, and those of a mode that
 * was not warm are opened by one call, which reads the weights once.
 */
export function releasingRanker(ranker: Ranker, release: () => void): Ranker {
  return rankerWith(ranker, {
    rank: (batch, limits) => ranker.rank(batch, limits).finally(release),
    warmUp: (mode) => ranker.warmUp(mode).finally(release),
  });
}
