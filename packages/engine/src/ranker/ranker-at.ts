import type { Ranker } from './ranker.ts';

/** A ranker whose requests name an epoch. */
export function rankerAt(ranker: Ranker, epoch: number): Pick<Ranker, 'rank' | 'plan'> {
  return {
    plan: ranker.plan,
    rank: (batch, limits) =>
      ranker.rank(
        batch.map((request) => ({ ...request, epoch })),
        limits,
      ),
  };
}
