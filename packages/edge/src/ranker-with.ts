import type { Ranker } from '@fuzzqe/engine';

/** The same ranker but for some calls; what it says of itself goes on to follow it, which a copy of its fields would not. */
export function rankerWith(
  ranker: Ranker,
  calls: Partial<Pick<Ranker, 'rank' | 'warmUp' | 'follow'>>,
): Ranker {
  return {
    ...ranker,
    get runtime() {
      return ranker.runtime;
    },
    get ready() {
      return ranker.ready;
    },
    ...calls,
  };
}
