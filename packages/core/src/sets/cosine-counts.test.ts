import { expect, it } from 'vitest';
import { createRandom } from '../random.ts';
import { createCosineCounts } from './cosine-counts.ts';

const random = createRandom('cosine counts');
/** Cosines around a mean, and one far above them that decides the sum at high temperatures. */
const cosines = Float32Array.from({ length: 5000 }, (_, i) =>
  i === 4000 ? 0.93 : 0.4 + 0.1 * Math.max(-3, Math.min(3, random.normal())),
);
const exact = (values: Float32Array, temperature: number): number =>
  temperature + Math.log(values.reduce((sum, cosine) => sum + Math.exp(temperature * (cosine - 1)), 0));
const temperatures = [1, 12, 45, 150, 1000];

it('the sum of exponentials follows from counts at every temperature, within half a step', () => {
  const counts = createCosineCounts(2);
  counts.add(1, cosines.subarray(0, 3000));
  counts.add(1, cosines.subarray(3000));
  counts.add(0, Float32Array.of(-1, 0, 1, 1 + 2 ** -23, -1 - 2 ** -23));
  for (const temperature of temperatures) {
    const error = Math.abs(counts.logSum(1, temperature) - exact(cosines, temperature));
    expect(error).toBeLessThanOrEqual(1.6e-5 * temperature);
    const ends = counts.logSum(0, temperature) - temperature;
    expect(ends).toBeCloseTo(Math.log(2 + Math.exp(-temperature) + 2 * Math.exp(-2 * temperature)), 1);
  }
  // A tenth of them, ten times over, would miss the one that decides: so an estimate from a sample fails here.
  const part = cosines.filter((_, i) => i % 10 === 1);
  expect(Math.abs(exact(part, 150) + Math.log(10) - exact(cosines, 150))).toBeGreaterThan(10);
});

it('what is taken back does not count, and nothing is left of rows that are cleared', () => {
  const counts = createCosineCounts(1);
  counts.add(0, cosines);
  counts.remove(0, cosines[4000]!);
  const rest = cosines.filter((_, i) => i !== 4000);
  expect(Math.abs(counts.logSum(0, 150) - exact(rest, 150))).toBeLessThanOrEqual(1.6e-5 * 150);
  expect(counts.logSum(0, 150)).toBeLessThan(exact(cosines, 150) - 10);
  counts.clear();
  expect(counts.logSum(0, 150)).toBe(Number.NEGATIVE_INFINITY);
});

it('cosines beyond 1 count at the end of their own row, and one that is no number is refused', () => {
  const counts = createCosineCounts(3);
  counts.add(1, Float32Array.of(1.001, -1.001));
  expect(counts.logSum(1, 12)).toBeCloseTo(12, 2);
  expect([counts.logSum(0, 12), counts.logSum(2, 12)]).toEqual([-Infinity, -Infinity]);
  counts.remove(1, 1.001);
  expect(counts.logSum(1, 12)).toBeCloseTo(-12, 2);
  expect(() => counts.add(1, Float32Array.of(0, Number.NaN))).toThrow(
    expect.objectContaining({ code: 'range', message: expect.stringContaining('got NaN') }),
  );
});
