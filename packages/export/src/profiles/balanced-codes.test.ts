import { createRandom } from '@fuzzqe/core';
import { expect, it } from 'vitest';
import { balancedCodes } from './balanced-codes.ts';
import { codeOf, scaleOf } from './symmetric-codes.ts';

const random = createRandom('balanced codes');

/** A row that sums to 0, and its scale. */
function row(length: number, size: number): [Float64Array, number] {
  const values = Float64Array.from({ length }, () => size * random.normal());
  const mean = values.reduce((sum, value) => sum + value, 0) / length;
  const centred = values.map((value) => value - mean);
  return [centred, scaleOf(Math.max(...centred.map(Math.abs)))];
}

const sumOf = (codes: ArrayLike<number>): number => Array.from(codes).reduce((sum, code) => sum + code, 0);

it.each([2, 16, 400])('sum to 0 with %i numbers, each as near as its sum allows', (length) => {
  let unbalanced = 0;
  for (let i = 0; i < 50; i += 1) {
    const [values, scale] = row(length, 0.001);
    const codes = balancedCodes(values, scale);
    const nearest = values.map((value) => codeOf(value, scale));
    if (sumOf(nearest) !== 0) unbalanced += 1;
    expect(sumOf(codes)).toBe(0);
    const changed = codes.filter((code, at) => code !== nearest[at]);
    expect(changed).toHaveLength(Math.abs(sumOf(nearest)));
    codes.forEach((code, at) => {
      expect(Math.abs(code)).toBeLessThanOrEqual(127);
      expect(Math.abs(code - values[at]! / scale)).toBeLessThan(1);
    });
  }
  // Two numbers that sum to 0 have codes that do; more of them hardly ever.
  if (length > 2) expect(unbalanced).toBeGreaterThan(30);
});

it('leaves codes of zeros, and of what sums to 0 by itself', () => {
  expect(balancedCodes(new Float64Array(4), 1)).toEqual(new Int8Array(4));
  expect(balancedCodes(Float64Array.of(-3, 1, 2), 1)).toEqual(Int8Array.of(-3, 1, 2));
});

it('changes those nearest to the middle between two codes, and none beyond the last', () => {
  expect(balancedCodes(Float64Array.of(-127, 126.6, 0.45, -0.05), 1)).toEqual(Int8Array.of(-127, 127, 0, 0));
  expect(balancedCodes(Float64Array.of(0.6, 0.9, -0.55, -0.95), 1)).toEqual(Int8Array.of(1, 1, -1, -1));
  expect(balancedCodes(Float64Array.of(0.6, 0.9, -0.45, -1.05), 1)).toEqual(Int8Array.of(1, 1, -1, -1));
  expect(balancedCodes(Float64Array.of(-127.4, 0.6, 126.8), 1)).toEqual(Int8Array.of(-127, 0, 127));
});
