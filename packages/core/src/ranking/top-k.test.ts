import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { topK } from './top-k.ts';

describe('topK', () => {
  it('puts the highest score first and the lower id before its equals', () => {
    const { ids, scores } = topK(Float32Array.of(1, 3, 2, 3, 0), 3);
    expect([...ids]).toEqual([1, 3, 2]);
    expect([...scores]).toEqual([3, 3, 2]);
  });

  it('agrees with sorting everything', () => {
    const values = fc.array(fc.oneof(fc.integer({ min: 0, max: 5 }), fc.float({ noNaN: true })), {
      minLength: 1,
    });
    fc.assert(
      fc.property(values, fc.nat(), (all, seed) => {
        const k = 1 + (seed % all.length);
        const scores = Float32Array.from(all);
        const order = all.map((_, id) => id).sort((a, b) => compare(scores[b]!, scores[a]!) || a - b);
        expect([...topK(scores, k).ids]).toEqual(order.slice(0, k));
      }),
      { numRuns: 500 },
    );
  });

  it.each([0, -1, 4, 1.5, Number.NaN])('refuses k = %d for three scores', (k) => {
    expect(() => topK(Float64Array.of(1, 2, 3), k)).toThrow(
      expect.objectContaining({ code: 'range', message: `k: expected an integer in [1, 3], got ${k}` }),
    );
  });

  it('refuses scores that are not numbers', () => {
    expect(() => topK(Float64Array.of(1, Number.NaN, 3), 1)).toThrow('score of entity 1');
  });
});

/** Infinities are equal to themselves, which their difference would not say. */
function compare(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
