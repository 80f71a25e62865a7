import { tinyDataset } from '@fuzzqe/data/testing';
import { describe, expect, it } from 'vitest';
import type { TrainingConfig } from '../config.ts';
import { ortCpuRuntime } from '../runtimes/ort-runtime.ts';
import { tinyConfig, tinyModel } from '../testing/tiny-run.ts';
import { stretchFrom } from './stretch-from.ts';
import type { TimeLimit } from './time-limit.ts';
import { type TrainingRun, train } from './trainer.ts';

describe('a run with an open end', () => {
  const graph = tinyDataset('tiny', 1).graphs().train;
  const plateau = (steps: number, patience = 10): TrainingConfig =>
    tinyConfig({
      steps,
      batch: { '1p': 6 },
      validation: { every: 5, patience, mode: 'embedding' },
      optimiser: {
        ...tinyConfig().optimiser,
        schedule: { kind: 'plateau', warmupSteps: 2, finalShare: 0.1 },
      },
    });
  /** Trains where each validation finds the next of these figures, and gives the rate of each step. */
  async function trained(config: TrainingConfig, found: readonly number[], more: Partial<TrainingRun> = {}) {
    const rates: number[] = [];
    let validations = 0;
    const result = await train({
      model: tinyModel(config),
      config,
      graph,
      queries: [],
      runtime: ortCpuRuntime({ threads: 1 }),
      validate: async () => ({ mrr: found[validations++] ?? 0, structures: {} }),
      onStep: ({ learningRate }) => void rates.push(learningRate),
      ...more,
    });
    return { ...result, rates, validations };
  }
  const time = (stepsLeft: () => number): TimeLimit => ({
    stepsLeft,
    secondsLeft: () => 1,
    isValidationDue: () => false,
    trained() {},
    validated() {},
  });

  it('goes on while validation improves, and ends half as many steps after it has stalled', async () => {
    const { ended, step, stretch, rates } = await trained(plateau(1000), [0.1, 0.2, 0.3, 0.4]);
    expect({ ended, step, stretch }).toEqual({
      ended: 'stalled',
      step: 45,
      stretch: { from: 30, until: 45, why: 'stalled' },
    });
    expect(new Set(rates.slice(2, 31))).toEqual(new Set([0.01]));
    expect(rates.slice(30)).toEqual(rates.slice(30).toSorted((a, b) => b - a));
    expect(rates.at(-1)).toBeLessThan(0.0015);
    // One that has stalled later is longer.
    const longer = await trained(plateau(1000), [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
    expect(longer.step).toBe(60);
  });

  it('uses up its steps where validation improves to the end', async () => {
    const figures = Array.from({ length: 9 }, (_, i) => i / 10);
    const { ended, step, stretch, best } = await trained(plateau(40), figures);
    expect({ ended, step, stretch }).toEqual({
      ended: 'finished',
      step: 40,
      stretch: { from: 26, until: 40, why: 'finished' },
    });
    expect(best!.step).toBe(40);
  });

  it('begins its last stretch while there is time for it, and trains no step that it has no time for', async () => {
    let left = 61;
    const onStep = (): void => {
      left -= 1;
    };
    const spent = { onStep, time: time(() => left) };
    const { ended, step, stretch } = await trained(plateau(1000, 1000), [], spent);
    // 40 steps and half as many.
    expect({ ended, step, stretch }).toEqual({
      ended: 'minutes',
      step: 60,
      stretch: { from: 40, until: 60, why: 'minutes' },
    });
    const cosine = tinyConfig({
      batch: { '1p': 6 },
      steps: 1000,
      validation: { every: 500, patience: 500, mode: 'embedding' },
    });
    left = 7;
    const cut = await trained(cosine, [], spent);
    expect(cut).toMatchObject({ ended: 'minutes', step: 7, validations: 1, best: { step: 7 } });
  });

  it('trains the same bytes where it was interrupted in its last stretch', async () => {
    const figures = [0.1, 0.2, 0.3, 0.4];
    const whole = await trained(plateau(1000), figures);
    const stop = new AbortController();
    const first = await trained(plateau(1000), figures, {
      onStep: ({ step }) => void (step === 37 && stop.abort()),
      signal: stop.signal,
    });
    expect(first).toMatchObject({ ended: 'interrupted', step: 37, stretch: whole.stretch });
    const { step, state, stretch, best } = first;
    const resume = { step, state, stretch, validated: false, ...(best === undefined ? {} : { best }) };
    const second = await trained(plateau(1000), [], { resume });
    expect(second).toMatchObject({ ended: 'stalled', step: 45 });
    expect(second.state).toEqual(whole.state);
  });

  it.each([
    ['goes on', [100, 1000, false], undefined],
    ['has stalled', [100, 1000, true], { from: 100, until: 150, why: 'stalled' }],
    ['has stalled near its end', [600, 700, true], { from: 600, until: 700, why: 'stalled' }],
    ['is as late as its steps allow', [666, 1000, false], { from: 666, until: 1000, why: 'finished' }],
    ['is late by the clock', [100, 1000, false, 50.5], { from: 100, until: 150, why: 'minutes' }],
    ['is too late by the clock', [100, 1000, true, 20.5], { from: 100, until: 120, why: 'minutes' }],
  ] as const)('decides on the last stretch where it %s', (_, given, expected) => {
    expect(stretchFrom(given[0], given[1], given[2], given[3])).toEqual(expected);
  });
});
