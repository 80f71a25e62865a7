import { createRandom } from '@fuzzqe/core';
import { expect, it } from 'vitest';
import { solveCholesky } from './solve-cholesky.ts';

const random = createRandom('cholesky');

it('solves systems of several right sides, and leaves them as they are', () => {
  for (const n of [1, 2, 12]) {
    const m = 3;
    const root = Float64Array.from({ length: n * n }, () => random.normal());
    const a = Float64Array.from({ length: n * n }, (_, at) => {
      const [i, j] = [Math.floor(at / n), at % n];
      let sum = i === j ? 0.5 : 0;
      for (let k = 0; k < n; k += 1) sum += root[i * n + k]! * root[j * n + k]!;
      return sum;
    });
    const expected = Float64Array.from({ length: n * m }, () => random.normal());
    const b = Float64Array.from({ length: n * m }, (_, at) => {
      const [i, c] = [Math.floor(at / m), at % m];
      let sum = 0;
      for (let k = 0; k < n; k += 1) sum += a[i * n + k]! * expected[k * m + c]!;
      return sum;
    });
    const before = [a.slice(), b.slice()];
    solveCholesky(a, b, n).forEach((x, i) => {
      expect(x).toBeCloseTo(expected[i]!, 8);
    });
    expect([a, b]).toEqual(before);
  }
});

it('gives numbers for a matrix that is not of full rank', () => {
  const x = solveCholesky(Float64Array.of(1, 1, 1, 1), Float64Array.of(1, 1), 2);
  expect(x.every(Number.isFinite)).toBe(true);
});
