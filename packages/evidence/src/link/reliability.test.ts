import { createRandom } from '@fuzzqe/core';
import { expect, it } from 'vitest';
import { reliabilityOf } from './reliability.ts';

it('compares what was stated with what was found, by tenths', () => {
  const { count, found, ece, bins } = reliabilityOf([0.1, 0.15, 0.95, 1, 0.5], [0, 1, 1, 1, 0]);
  expect([count, found]).toEqual([5, 3]);
  expect(bins.map((bin) => bin.count)).toEqual([2, 1, 2]);
  expect(bins[0]!.stated).toBeCloseTo(0.125, 12);
  expect(bins[0]!.found).toBe(0.5);
  expect(bins[2]!.stated).toBeCloseTo(0.975, 12);
  expect(ece).toBeCloseTo((2 * 0.375 + 0.5 + 2 * 0.025) / 5, 12);
});

it('counts by weights', () => {
  const { ece, bins } = reliabilityOf([0.2, 0.25], [1, 0], [3, 1]);
  expect(bins[0]!.found).toBe(0.75);
  expect(bins[0]!.stated).toBeCloseTo((3 * 0.2 + 0.25) / 4, 12);
  expect(ece).toBeCloseTo(0.75 - bins[0]!.stated, 12);
});

it('is near 0 for probabilities that are true, and far from it for others', () => {
  const random = createRandom('reliability');
  const stated = Float64Array.from({ length: 20_000 }, () => random.uniform());
  const found = Uint8Array.from(stated, (p) => (random.uniform() < p ? 1 : 0));
  expect(reliabilityOf(stated, found).ece).toBeLessThan(0.02);
  expect(
    reliabilityOf(
      stated.map((p) => p / 2),
      found,
    ).ece,
  ).toBeGreaterThan(0.2);
});

it('says of nothing that nothing was found', () => {
  expect(reliabilityOf([], [])).toEqual({ count: 0, found: 0, ece: 0, bins: [] });
});
