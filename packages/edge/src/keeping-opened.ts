import type { Ranker } from '@fuzzqe/engine';
import { rankerWith } from './ranker-with.ts';

/** The same ranker, which still has the facts as opened, epoch 0, for as long as `isNeeded` says so. */
export function keepingOpened(ranker: Ranker, isNeeded: () => boolean): Ranker {
  const { follow } = ranker;
  if (follow === undefined) return ranker;
  return rankerWith(ranker, {
    follow: (facts) => follow(isNeeded() ? { ...facts, keepsOpened: true } : facts),
  });
}
