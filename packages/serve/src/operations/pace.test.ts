import { expect, it } from 'vitest';
import { createPace } from './pace.ts';

it('tells when all that were told to come back could be answered, at the pace of the last second', () => {
  let time = 0;
  const pace = createPace(() => time);
  expect(pace.secondsUntil(3)).toBe(4);
  for (let i = 0; i < 1000; i++) {
    time += 10;
    pace.answered();
  }
  // A hundred a second.
  expect(pace.secondsUntil(100)).toBeCloseTo(1, 1);
  for (let i = 0; i < 300; i++) pace.secondsUntil(0);
  expect(pace.secondsUntil(0)).toBeCloseTo(3, 1);
  time += 100_000;
  expect(pace.secondsUntil(100)).toBe(60);
});
