import { describe, expect, it } from 'vitest';
import { createAdmission } from './admission.ts';
import { createOverload } from './overload.ts';

/** A clock that goes on when it is told to. */
function clock() {
  let at = 0;
  return { now: () => at, goOn: (milliseconds: number) => (at += milliseconds) };
}

describe('an overload', () => {
  it('begins when too much has waited for long, and ends when for long it has not', () => {
    const { now, goOn } = clock();
    const overload = createOverload({ grace: 100, now });
    const noteFor = (milliseconds: number, tooMuch: boolean): boolean => {
      goOn(milliseconds);
      return overload.note(tooMuch);
    };
    // A burst, however often it comes.
    for (let i = 0; i < 5; i++) expect([noteFor(60, true), noteFor(60, false)]).toEqual([false, false]);
    expect([noteFor(1, true), noteFor(60, true), noteFor(60, true)]).toEqual([false, false, true]);
    expect([noteFor(60, false), noteFor(1, true), noteFor(60, false)]).toEqual([true, true, true]);
    expect(noteFor(60, false)).toBe(false);
    // Long after it, a burst is taken whole again.
    expect(noteFor(1000, false)).toBe(false);
    expect([noteFor(1, true), noteFor(60, true)]).toEqual([false, false]);
  });

  it('that comes back soon begins at once, and lasts the longer the more often it does', () => {
    const { now, goOn } = clock();
    const overload = createOverload({ grace: 100, now });
    /** In how many milliseconds it begins while too much waits, and in how many it then ends. */
    const comeAndGo = (): [begins: number, ends: number] => {
      const [begins, ends] = [true, false].map((tooMuch) => {
        const before = now();
        while (overload.note(tooMuch) !== tooMuch) goOn(1);
        return now() - before;
      });
      return [begins!, ends!];
    };
    expect(comeAndGo()).toEqual([100, 100]);
    expect(Array.from({ length: 5 }, comeAndGo)).toEqual([
      [10, 200],
      [10, 400],
      [10, 800],
      [10, 1600],
      [10, 1600],
    ]);
    goOn(1000);
    expect(comeAndGo()).toEqual([100, 100]);
  });
});

describe('admission', () => {
  it('refuses, in an overload, what would wait too long by the pace of the rankers', () => {
    const { now, goOn } = clock();
    const admission = createAdmission({ waitingTime: 50, grace: 100, now });
    // A millisecond of cost takes two: 30 for one ranker are 60 ms, for two 30 ms.
    admission.measured(10, 20, 40);
    expect(admission.typicalCost).toBe(2);
    expect(admission.refusalOf(30, 1)).toBeUndefined();
    goOn(100);
    expect(admission.refusalOf(30, 1)).toMatchObject({ code: 'overloaded', retryAfter: 1 });
    expect(admission.refusalOf(30, 2)).toBeUndefined();
    expect(admission.refusalOf(24, 1)).toBeUndefined();
  });

  it('tells clients to come back when all that was refused lately would have been answered', () => {
    const { now, goOn } = clock();
    const admission = createAdmission({ waitingTime: 50, grace: 0, now });
    admission.measured(1, 10, 10);
    const after = Array.from({ length: 400 }, () => admission.refusalOf(100, 1)?.retryAfter);
    expect([after[0], after[99], after[399]]).toEqual([1, 2, 5]);
    goOn(10_000);
    expect(admission.refusalOf(100, 1)?.retryAfter).toBe(1);
    const again = Array.from({ length: 400 }, () => admission.refusalOf(100, 1, true)?.retryAfter);
    expect(again.at(-1)).toBe(1);
  });
});
