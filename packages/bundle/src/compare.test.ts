import { describe, expect, it } from 'vitest';
import { compareCase, compareNumbers } from './compare.ts';

const tolerance = { absolute: 1e-6, relative: 1e-3 };

describe('compareNumbers', () => {
  it('passes numbers within the tolerance, and says how much of it they use', () => {
    const found = compareNumbers([1, 2, 3, 4.003], [1, 2, 3, 4], tolerance);
    expect(found).toMatchObject({ failure: undefined, element: 3 });
    expect(found.absolute).toBeCloseTo(0.003, 9);
    expect(found.relative).toBeCloseTo(0.003 / 4, 9);
    expect(found.share).toBeCloseTo(0.003 / 0.004001, 9);
  });

  it.each([
    ['another count', [1, 2], /expected 4 numbers, got 2/],
    ['a number too far off', [1, 2.1, 3, 4], /at 1: expected 2 .* got 2\.1/],
    ['NaN', [1, 2, Number.NaN, 4], /at 2: expected 3 .* got NaN/],
    ['infinity', [1, 2, Number.POSITIVE_INFINITY, 4], /at 2/],
  ])('fails %s and says where', (_, actual, failure) => {
    const found = compareNumbers(actual, [1, 2, 3, 4], tolerance);
    expect(found.failure).toMatch(failure);
    expect(found.share).toBeGreaterThan(1);
  });

  it('sets the largest difference beside the largest number', () => {
    const { absolute, relative, element } = compareNumbers([0.5, 100.01, 1e-9], [0.5, 100, 0], tolerance);
    expect(absolute).toBeCloseTo(0.01, 9);
    expect(relative).toBeCloseTo(1e-4, 9);
    expect(element).toBe(1);
  });

  it('names the number that is furthest beyond its own tolerance, not the one that is furthest off', () => {
    const { failure, element } = compareNumbers([1000.9, 0.01], [1000, 0], tolerance);
    expect(element).toBe(0);
    expect(failure).toMatch(/^at 1: expected 0 /);
  });

  it('fails any difference under no tolerance, and equal numbers never', () => {
    const none = { absolute: 0, relative: 0 };
    expect(compareNumbers([1e-30], [0], none).failure).toBeDefined();
    expect(compareNumbers([0, 3], [0, 3], none)).toMatchObject({ failure: undefined, share: 0, relative: 0 });
  });

  it.each([
    ['NaN', Number.NaN, [0, 1, Number.NaN]],
    ['infinity', Number.POSITIVE_INFINITY, [0, 1, Number.NEGATIVE_INFINITY]],
  ])('fails whatever is set beside an expected %s', (_, expected, actual) => {
    for (const value of actual)
      expect(compareNumbers([0.5, value], [0.5, expected], tolerance).failure).toMatch(/^at 1: expected /);
  });

  it('fails NaN even under an endless tolerance', () => {
    const endless = { absolute: Number.MAX_VALUE, relative: 0 };
    expect(compareNumbers([Number.NaN], [0], endless).failure).toMatch(/got NaN/);
  });
});

describe('compareCase', () => {
  const expected = { embedding: [0.5, 0], ids: [7, 3, 5, 9], scores: [4, 3, 2.9999, 1] };
  const tolerances = { embedding: { absolute: 1e-3, relative: 0 }, score: tolerance };
  const compare = (change: Partial<typeof expected>) =>
    compareCase({ ...expected, ...change }, expected, tolerances);

  it('passes the same order', () => {
    expect(compare({})).toMatchObject({ failure: undefined, sameRanking: true });
  });

  it('compares embeddings and scores each by their own tolerance', () => {
    expect(compare({ embedding: [0.5, 9e-4] })).toMatchObject({ failure: undefined });
    const off = compare({ embedding: [0.502, 0] });
    expect(off.failure).toMatch(/^embedding at 0: /);
    expect(off.sameRanking).toBe(true);
    expect(compare({ scores: [4, 3, 2.9999, 1.1] })).toMatchObject({
      failure: expect.stringMatching(/^score at 3: /),
      sameRanking: false,
    });
  });

  it('lets entities swap whose scores differ by less than the tolerance', () => {
    expect(compare({ ids: [7, 5, 3, 9] }).failure).toBeUndefined();
  });

  it.each([
    ['entities that swap otherwise', [3, 7, 5, 9], 'rank 1: expected entity 7 (4), got 3 (3)'],
    ['an entity that stands twice', [7, 3, 3, 9], 'entity 3 stands twice'],
    ['an entity from beyond the list at its top', [7, 8, 5, 9], 'rank 2: expected entity 3'],
    ['fewer entities', [7, 3, 5], 'expected 4 entities, got 3'],
  ])('fails %s', (_, ids, failure) => {
    expect(compare({ ids })).toMatchObject({ failure: expect.stringContaining(failure), sameRanking: false });
  });

  it('lets an entity beyond the list stand for one that ties with the last', () => {
    expect(compare({ ids: [7, 3, 5, 8] }).failure).toBeUndefined();
  });
});
