import { describe, expect, it } from 'vitest';
import { orderRanking } from './rank-embeddings.ts';

const order = (ids: number[], scores: number[]): (number | undefined)[][] => {
  const ranking = orderRanking(ids, scores, 10);
  return Array.from(ranking.ids, (id, place) => [id, ranking.scores[place]]);
};

describe('orderRanking', () => {
  it('drops what was not allowed, and keeps what rounding put below 0', () => {
    const rounded = -(2 ** -20);
    expect(order([4, 2, 9, 3], [0.5, rounded, -1, -1])).toEqual([
      [4, 0.5],
      [2, rounded],
    ]);
  });

  it('orders by score, and equal scores by id', () => {
    expect(order([7, 4, 2], [0.25, 0.5, 0.5]).map(([id]) => id)).toEqual([2, 4, 7]);
  });

  it.each([
    ['an id that is none', [10], [0.5]],
    ['a negative id', [-1], [0.5]],
    ['an id twice', [3, 3], [0.5, 0.25]],
    ['a score that is no number', [3], [Number.NaN]],
  ])('refuses %s', (_, ids, scores) => {
    expect(() => order(ids, scores)).toThrow('expected distinct entities with finite scores');
  });
});
