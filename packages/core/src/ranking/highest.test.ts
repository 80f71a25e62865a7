import { expect, it } from 'vitest';
import { createRandom } from '../random.ts';
import { highest } from './highest.ts';
import { topK } from './top-k.ts';

it('finds what a ranking finds, in order of place', () => {
  const random = createRandom('highest', 'values');
  for (let n = 1; n <= 300; n += 1) {
    // A few levels, so that many are equal, and zeros.
    const levels = n % 3 === 0 ? 4 : 1000;
    const values = Float32Array.from({ length: n }, () => random.below(levels) / levels);
    for (const k of [1, 2, 7, 64, n]) {
      const { ids, scores } = topK(values, Math.min(k, n));
      const expected = [...ids].filter((_, i) => scores[i]! > 0).sort((a, b) => a - b);
      expect([...highest(values, k)]).toEqual(expected);
    }
  }
});

it('finds nothing where nothing is above 0, and changes no value', () => {
  expect(highest(new Float32Array(5), 3)).toHaveLength(0);
  expect(highest(new Float32Array(0), 3)).toHaveLength(0);
  expect(highest(Float32Array.of(-1, 0.5, -2), 3)).toEqual(Int32Array.of(1));
  const values = Float32Array.of(0.1, 0.4, 0.4, 0.4, 0.2);
  expect(highest(values, 2)).toEqual(Int32Array.of(1, 2));
  expect(values).toEqual(Float32Array.of(0.1, 0.4, 0.4, 0.4, 0.2));
});
