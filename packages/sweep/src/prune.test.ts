import { createRandom } from '@fuzzqe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPruned, type ReportedTrial } from './prune.ts';
import type { Pruning } from './sweep-file.ts';

const up = { direction: 'maximize' } as const;
const down = { direction: 'minimize' } as const;
const median: Pruning = { kind: 'median', startup: 3, warmupSteps: 20 };
const halving: Pruning = { kind: 'halving', first: 10, factor: 3 };
const at = (step: number, value: number): { step: number; value: number } => ({ step, value });
const ended = (...values: number[]): ReportedTrial => ({
  outcome: 'finished',
  values: values.map((value, i) => at(10 * (i + 1), value)),
});

describe('pruning by the median', () => {
  const others = [ended(0.1, 0.2, 0.3), ended(0.1, 0.3, 0.3), ended(0.1, 0.4, 0.5)];

  it('stops what is worse than the median at its step, and nothing else', () => {
    expect(isPruned(median, up, [at(20, 0.29)], others)).toBe(true);
    expect(isPruned(median, up, [at(20, 0.3)], others)).toBe(false);
    expect(isPruned(median, down, [at(20, 0.31)], others)).toBe(true);
    expect(isPruned(median, down, [at(20, 0.29)], others)).toBe(false);
    // It has been better before.
    expect(isPruned(median, up, [at(10, 0.35), at(20, 0.1)], others)).toBe(false);
  });

  it('waits for the warm-up and for enough trials that ended by themselves', () => {
    expect(isPruned(median, up, [at(10, 0)], others)).toBe(false);
    expect(isPruned(median, up, [at(20, 0)], others.slice(1))).toBe(false);
    const cut = others.map((each, i): ReportedTrial => (i === 0 ? { ...each, outcome: 'pruned' } : each));
    expect(isPruned(median, up, [at(20, 0)], cut)).toBe(false);
    const running = others.map(({ values }): ReportedTrial => ({ values }));
    expect(isPruned(median, up, [at(20, 0)], running)).toBe(false);
    // Nobody was validated at this step.
    expect(isPruned(median, up, [at(25, 0)], others)).toBe(false);
  });
});

describe('pruning by successive halving', () => {
  it('lets the first through, and of n at a rung the best n / factor', () => {
    expect(isPruned(halving, up, [at(10, 0)], [])).toBe(false);
    expect(isPruned(halving, up, [at(10, 0.1)], [{ values: [at(10, 0.2)] }])).toBe(true);
    expect(isPruned(halving, up, [at(10, 0.3)], [{ values: [at(10, 0.2)] }])).toBe(false);
    const five = [0.1, 0.2, 0.3, 0.4, 0.5].map((value) => ({ values: [at(10, value)] }));
    expect(isPruned(halving, up, [at(10, 0.45)], five)).toBe(false);
    expect(isPruned(halving, up, [at(10, 0.35)], five)).toBe(true);
    expect(isPruned(halving, down, [at(10, 0.15)], five)).toBe(false);
  });

  it('judges at rungs alone, each once, by what others had there', () => {
    const rival = [{ values: [at(10, 0.2), at(20, 0.9), at(30, 0.9)] }];
    expect(isPruned(halving, up, [at(5, 0)], rival)).toBe(false);
    expect(isPruned(halving, up, [at(10, 0.3), at(20, 0.1)], rival)).toBe(false);
    expect(isPruned(halving, up, [at(10, 0.3), at(20, 0.1), at(30, 0.1)], rival)).toBe(true);
    // The first validation past a rung counts for it.
    expect(isPruned(halving, up, [at(12, 0.1)], rival)).toBe(true);
  });
});

describe('either rule', () => {
  const trials = fc.array(
    fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 4, maxLength: 4 }),
    {
      minLength: 1,
      maxLength: 20,
    },
  );

  it.each([median, halving])(
    'never stops the best of all, and what it stops is worse than another was: %j',
    (rule) => {
      let stopped = 0;
      fc.assert(
        fc.property(trials, ([own, ...rest]) => {
          const others = rest.map((values) => ended(...values));
          for (let length = 1; length <= 4; length += 1) {
            const mine = ended(...own!.slice(0, length)).values;
            if (!isPruned(rule, up, mine, others)) continue;
            stopped += 1;
            const newest = mine.at(-1)!;
            const there = others.map(({ values }) => values.find(({ step }) => step === newest.step)!.value);
            expect(Math.max(...there)).toBeGreaterThan(newest.value);
          }
        }),
        { seed: 3, numRuns: 300 },
      );
      // The control: it does stop trials.
      expect(stopped).toBeGreaterThan(50);
    },
  );

  it('finds the best of noisy curves with fewer steps than without it, and pruning at random does not', () => {
    const random = createRandom('curves');
    const quality = Array.from({ length: 60 }, () => random.uniform());
    const curve = (trial: number, step: number): number =>
      quality[trial]! * (1 - Math.exp(-step / 20)) + 0.01 * createRandom('noise', trial, step).normal();
    const run = (prune: (own: ReportedTrial['values'], others: ReportedTrial[]) => boolean) => {
      const done: ReportedTrial[] = [];
      let steps = 0;
      let best = { trial: -1, value: -1 };
      for (let trial = 0; trial < quality.length; trial += 1) {
        const values: { step: number; value: number }[] = [];
        let outcome: 'finished' | 'pruned' = 'finished';
        for (let step = 10; step <= 90 && outcome === 'finished'; step += 10) {
          values.push(at(step, curve(trial, step)));
          steps += 10;
          if (step < 90 && prune(values, done)) outcome = 'pruned';
        }
        done.push({ values, outcome });
        const reached = Math.max(...values.map(({ value }) => value));
        if (reached > best.value) best = { trial, value: reached };
      }
      return { steps, quality: quality[best.trial]! };
    };
    const top = Math.max(...quality);
    const all = run(() => false);
    for (const rule of [median, halving]) {
      const found = run((own, others) => isPruned(rule, up, own, others));
      expect(found.steps).toBeLessThan(0.7 * all.steps);
      expect(found.quality).toBeGreaterThan(top - 0.03);
    }
    const chance = createRandom('chance');
    const blind = run(() => chance.uniform() < 0.4);
    expect(blind.quality).toBeLessThan(top - 0.03);
  });
});
