import { expect, it } from 'vitest';
import { createResponseRate } from './response-rate.ts';

it('tells when all that were told to come back could be answered, at the pace of the last second', () => {
  let time = 0;
  const rate = createResponseRate(() => time);
  expect(rate.secondsUntil(3)).toBe(4);
  for (let i = 0; i < 1000; i++) {
    time += 10;
    rate.answered();
  }
  // A hundred a second.
  expect(rate.secondsUntil(100)).toBeCloseTo(1, 1);
  for (let i = 0; i < 300; i++) rate.secondsUntil(0);
  expect(rate.secondsUntil(0)).toBeCloseTo(3, 1);
  time += 100_000;
  expect(rate.secondsUntil(100)).toBe(60);
});
