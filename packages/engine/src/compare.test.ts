import { describe, expect, it } from 'vitest';
import { compareNumbers, compareRankings, compareTensors } from './index.ts';

const tolerance = { absolute: 1e-6, relative: 1e-3 };

describe('compareTensors', () => {
  const reference = { dims: [2, 2], dtype: 'float32', data: [1, 2, 3, 4] } as const;
  const tensor = (values: readonly number[], dims = [2, 2]) => ({ dims, data: Float32Array.from(values) });

  it('passes numbers within the tolerance of the reference', () => {
    const { passed, maxAbsolute } = compareTensors(tensor([1, 2, 3, 4.003]), reference, tolerance);
    expect(passed).toBe(true);
    expect(maxAbsolute).toBeCloseTo(0.003, 5);
  });

  it.each([
    ['another count', tensor([1, 2], [2, 1]), /expected 4 numbers, got 2/],
    ['another shape', tensor([1, 2, 3, 4], [4, 1]), /expected shape \[2,2\], got \[4,1\]/],
    ['another dtype', { dims: [2, 2], data: Int32Array.of(1, 2, 3, 4) }, /expected float32, got int32/],
    ['a number too far off', tensor([1, 2.1, 3, 4]), /at 1: expected 2 .* got 2\.0999/],
    ['NaN', tensor([1, 2, Number.NaN, 4]), /at 2: expected 3 .* got NaN/],
    ['infinity', tensor([1, 2, Number.POSITIVE_INFINITY, 4]), /at 2/],
  ])('fails %s and says where', (_, actual, failure) => {
    expect(compareTensors(actual, reference, tolerance)).toMatchObject({
      passed: false,
      failure: expect.stringMatching(failure),
    });
  });

  it('reports the worst differences, absolute and relative', () => {
    const found = compareNumbers([0.5, 100.01, 0], [0.5, 100, 0], tolerance);
    expect(found.maxAbsolute).toBeCloseTo(0.01, 9);
    expect(found.maxRelative).toBeCloseTo(1e-4, 9);
  });

  it('fails NaN even under an endless tolerance', () => {
    expect(compareNumbers([Number.NaN], [0], { absolute: Number.MAX_VALUE, relative: 0 }).passed).toBe(false);
  });
});

describe('compareRankings', () => {
  const reference = { ids: [7, 3, 5, 9], scores: [4, 3, 2.9999, 1] };

  it('passes the same order', () => {
    expect(compareRankings(reference, reference, tolerance).passed).toBe(true);
  });

  it('lets entities swap whose scores differ by less than the tolerance', () => {
    expect(compareRankings({ ...reference, ids: [7, 5, 3, 9] }, reference, tolerance).passed).toBe(true);
  });

  it('fails entities that swap otherwise', () => {
    expect(compareRankings({ ...reference, ids: [3, 7, 5, 9] }, reference, tolerance)).toMatchObject({
      passed: false,
      failure: expect.stringContaining('rank 1: expected entity 7 (4), got 3 (3)'),
    });
  });

  it('lets an entity beyond the list stand for one that ties with the last', () => {
    expect(compareRankings({ ...reference, ids: [7, 3, 5, 8] }, reference, tolerance).passed).toBe(true);
    expect(compareRankings({ ...reference, ids: [7, 8, 5, 9] }, reference, tolerance).passed).toBe(false);
  });

  it('fails an entity that stands twice', () => {
    expect(compareRankings({ ...reference, ids: [7, 3, 3, 9] }, reference, tolerance).passed).toBe(false);
  });

  it('fails scores that differ', () => {
    expect(compareRankings({ ...reference, scores: [4, 3, 2.9999, 1.1] }, reference, tolerance).passed).toBe(
      false,
    );
  });
});
