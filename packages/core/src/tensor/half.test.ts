import { describe, expect, it } from 'vitest';
import { createRandom } from '../index.ts';
import { decodeHalf, encodeHalf } from './half.ts';

describe('numbers of 16 bits', () => {
  it('come back from their bits', () => {
    for (let half = 0; half < 0x1_0000; half += 7) {
      const value = decodeHalf(half);
      if (Number.isNaN(value)) expect(decodeHalf(encodeHalf(value))).toBeNaN();
      else expect(encodeHalf(value)).toBe(half);
    }
  });

  it('are the nearest, and of two equally near ones the even', () => {
    const random = createRandom('half');
    for (let i = 0; i < 2000; i += 1) {
      const value = Math.fround((random.uniform() - 0.5) * 2 ** (random.below(44) - 27));
      const half = encodeHalf(value);
      const error = Math.abs(decodeHalf(half) - value);
      for (const neighbour of [half - 1, half + 1]) {
        const other = Math.abs(decodeHalf(neighbour & 0xffff) - value);
        if (Number.isNaN(other)) continue;
        expect(error).toBeLessThanOrEqual(other);
        if (error === other && other !== 0) expect(half & 1).toBe(0);
      }
    }
  });

  it('are infinite beyond their range', () => {
    expect(decodeHalf(encodeHalf(65_519))).toBe(65_504);
    expect(decodeHalf(encodeHalf(65_520))).toBe(Number.POSITIVE_INFINITY);
    expect(decodeHalf(encodeHalf(-1e30))).toBe(Number.NEGATIVE_INFINITY);
    expect(encodeHalf(2 ** -26)).toBe(0);
  });
});
