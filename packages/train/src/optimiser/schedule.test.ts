import { describe, expect, it } from 'vitest';
import { type LastStretch, scheduleShare } from './schedule.ts';

describe('the schedule of the learning rate', () => {
  const sharesOf = (kind: 'constant' | 'cosine', warmupSteps: number, steps: number, finalShare = 0.1) =>
    Array.from({ length: steps }, (_, step) =>
      scheduleShare({ kind, warmupSteps, finalShare }, step, { steps }),
    );

  it('rises over the steps of the warm-up from a first share above 0 to the peak', () => {
    const shares = sharesOf('constant', 4, 6);
    expect(shares).toEqual([0.25, 0.5, 0.75, 1, 1, 1]);
    expect(sharesOf('cosine', 4, 6).slice(0, 5)).toEqual([0.25, 0.5, 0.75, 1, 1]);
  });

  it('falls by the cosine of a half turn, slowly at both ends', () => {
    // Of 12 steps after the warm-up a third are done, a half and two thirds: the cosines are 1/2, 0 and -1/2.
    const shares = sharesOf('cosine', 3, 15, 0.2);
    expect(shares[3]).toBe(1);
    expect(shares[7]).toBeCloseTo(0.8, 12);
    expect(shares[9]).toBeCloseTo(0.6, 12);
    expect(shares[11]).toBeCloseTo(0.4, 12);
    // A straight line would fall by 1/15 at every step.
    expect(shares[3]! - shares[4]!).toBeLessThan(0.02);
    expect(shares[13]! - shares[14]!).toBeLessThan(0.06);
  });

  it('ends at its last share and stays there', () => {
    const schedule = { kind: 'cosine', warmupSteps: 3, finalShare: 0.2 } as const;
    expect(scheduleShare(schedule, 15, { steps: 15 })).toBeCloseTo(0.2, 12);
    expect(scheduleShare(schedule, 25, { steps: 15 })).toBeCloseTo(0.2, 12);
  });

  it('begins at the peak without a warm-up, and has one that is as long as the run', () => {
    expect(scheduleShare({ kind: 'cosine', warmupSteps: 0, finalShare: 0 }, 0, { steps: 10 })).toBe(1);
    expect(sharesOf('cosine', 4, 4)).toEqual([0.25, 0.5, 0.75, 1]);
    expect(scheduleShare({ kind: 'cosine', warmupSteps: 4, finalShare: 0 }, 4, { steps: 4 })).toBe(1);
  });

  it('stays at the peak of a plateau until the last stretch is known, and falls over it alone', () => {
    const schedule = { kind: 'plateau', warmupSteps: 2, finalShare: 0.2 } as const;
    const sharesOf = (stretch?: LastStretch) =>
      Array.from({ length: 12 }, (_, step) => scheduleShare(schedule, step, { steps: 40, stretch }));
    expect(sharesOf()).toEqual([0.5, ...new Array<number>(11).fill(1)]);
    const shares = sharesOf({ from: 6, until: 10 });
    expect(shares.slice(0, 7)).toEqual([0.5, 1, 1, 1, 1, 1, 1]);
    expect(shares[8]).toBeCloseTo(0.6, 12);
    expect(shares.slice(10)).toEqual([expect.closeTo(0.2, 12), expect.closeTo(0.2, 12)]);
  });
});
