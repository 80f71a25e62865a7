import type { OfEpoch, Ranker } from './ranker.ts';

/** A ranker whose requests say by which facts they are answered. */
export function rankerAt(
  ranker: Pick<Ranker, 'rank' | 'plan'>,
  which: OfEpoch,
): Pick<Ranker, 'rank' | 'plan'> {
  return {
    plan: ranker.plan,
    rank: (batch, limits) =>
      ranker.rank(
        batch.map((request) => ({ ...request, ...which })),
        limits,
      ),
  };
}
