import { expect, it } from 'vitest';
import { overlap, rankBiasedOverlap } from './overlap.ts';

it('overlap counts what two lists share, whatever the order', () => {
  expect(overlap([3, 1, 2, 9], [1, 2, 3, 4])).toBe(0.75);
  expect(overlap([5, 6], [1, 2])).toBe(0);
});

it.each([
  ['equal lists', [1, 2, 3], 1],
  ['lists that share nothing', [4, 5, 6], 0],
  // Depths 1, 2, 3 agree by 0, 1, 1: 0.1·(0.9 + 0.81) + 0.729.
  ['a swap at the top', [2, 1, 3], 0.9],
  // Depths agree by 1, 1/2, 1: 0.1·(1 + 0.45 + 0.81) + 0.729.
  ['a swap further down, which weighs less', [1, 3, 2], 0.955],
])('rank-biased overlap of %s', (_, actual, expected) => {
  expect(rankBiasedOverlap(actual, [1, 2, 3])).toBeCloseTo(expected, 12);
});
