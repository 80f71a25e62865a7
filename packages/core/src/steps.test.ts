import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { finish, namesOfStep, type Steps, sharedSteps, sortingSteps } from './steps.ts';

describe('sortingSteps', () => {
  it('sorts any number of values as a stable sort does', () => {
    const lengths = fc.constantFrom(0, 1, namesOfStep, namesOfStep + 1, 3 * namesOfStep + 7, 4000);
    fc.assert(
      fc.property(lengths, fc.integer({ min: 1, max: 50 }), (length, keys) => {
        const key = (value: number): number => (value * 7919) % keys;
        const values = Int32Array.from({ length }, (_, i) => (i * 31) % (length + 1));
        const expected = [...values].sort((a, b) => key(a) - key(b));
        expect([...finish(sortingSteps(values, (a, b) => key(a) - key(b)))]).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  it('does no piece that grows with the number of values', () => {
    const longestPiece = (length: number): number => {
      let [compared, most] = [0, 0];
      const steps = sortingSteps(
        Int32Array.from({ length }, (_, i) => (i * 7919) % length),
        (a, b) => {
          compared += 1;
          return a - b;
        },
      );
      while (steps.next().done !== true) {
        most = Math.max(most, compared);
        compared = 0;
      }
      return Math.max(most, compared);
    };
    expect(longestPiece(100_000)).toBeLessThan(20 * namesOfStep);
    expect(longestPiece(100_000)).toBeLessThan(2 * longestPiece(4000));
  });
});

describe('sharedSteps', () => {
  it('is done once, by whoever waits for it', () => {
    let begun = 0;
    const pieces: number[] = [];
    const shared = sharedSteps(function* (): Steps<string> {
      begun += 1;
      for (let i = 0; i < 4; i++) {
        pieces.push(i);
        yield;
      }
      return 'done';
    });
    const [one, other] = [shared(), shared()];
    for (let i = 0; i < 2; i++) expect([one.next().done, other.next().done]).toEqual([false, false]);
    expect([finish(one), finish(other), finish(shared())]).toEqual(['done', 'done', 'done']);
    expect([begun, pieces]).toEqual([1, [0, 1, 2, 3]]);
  });

  it('is begun anew after it has failed', () => {
    let attempts = 0;
    const shared = sharedSteps(function* (): Steps<number> {
      yield;
      attempts += 1;
      if (attempts === 1) throw new Error('no memory');
      return attempts;
    });
    expect(() => finish(shared())).toThrow('no memory');
    expect(finish(shared())).toBe(2);
  });
});
