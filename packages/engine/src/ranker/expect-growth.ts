import { FuzzError } from '@fuzzqe/core';
import type { RankerGrowth } from './ranker-growth.ts';

/** What ranks a graph that has grown. Throws: `usage`, a ranker that was made without. */
export function expectGrowth(growth: RankerGrowth | undefined): RankerGrowth {
  if (growth !== undefined) return growth;
  throw new FuzzError('usage', 'growth: expected a ranker that follows a graph that grows, got another', {
    hint: 'Make the ranker from a bundle of changeable, or with { growth: rankerGrowth }.',
  });
}
