import { describe, expect, it } from 'vitest';
import { createTimeLimit } from './time-limit.ts';

describe('the time that a run may take', () => {
  /** A limit of 100 s on a clock that the test sets, in seconds. */
  function limitOf100() {
    let seconds = 0;
    const limit = createTimeLimit(100 / 60, () => 1000 * seconds);
    return { limit, at: (time: number) => (seconds = time) };
  }

  it('counts the steps that fit by the time of those before, and keeps the end free', () => {
    const { limit, at } = limitOf100();
    expect(limit.stepsLeft()).toBe(Number.POSITIVE_INFINITY);
    at(10);
    // Opening took ten seconds, which is no time of a step.
    limit.trained(1);
    at(30);
    limit.trained(20);
    expect(limit.stepsLeft()).toBeCloseTo(100 - 30 - 1, 6);
    limit.validated(8000);
    expect(limit.stepsLeft()).toBeCloseTo(100 - 30 - 1 - 1.5 * 8, 6);
    limit.validated(2000);
    expect(limit.stepsLeft()).toBeCloseTo(100 - 30 - 1 - 1.5 * 8, 6);
    at(95);
    expect(limit.secondsLeft()).toBe(5);
    expect(limit.stepsLeft()).toBeLessThan(0);
  });

  it('asks for a validation once a quarter of it is gone and none was timed', () => {
    const { limit, at } = limitOf100();
    limit.trained(1);
    at(24);
    expect(limit.isValidationDue()).toBe(false);
    at(25);
    expect(limit.isValidationDue()).toBe(true);
    limit.validated(0);
    expect(limit.isValidationDue()).toBe(false);
  });
});
