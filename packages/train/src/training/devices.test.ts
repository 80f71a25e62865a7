import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom } from '@fuzzqe/core';
import { type QuerySets, sampleQuerySets } from '@fuzzqe/data';
import { tinyDataset } from '@fuzzqe/data/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadTensors, readRunState } from '../checkpoint/checkpoint.ts';
import { readRunLog } from '../reporting/run-log.ts';
import { openUnrolled } from '../runtimes/ort-cuda-runtime.ts';
import { ortCpuRuntime } from '../runtimes/ort-runtime.ts';
import { tfjsRuntime } from '../runtimes/tfjs-runtime.ts';
import type { TrainingRuntime } from '../runtimes/training-runtime.ts';
import { float64Validation } from '../testing/float64-scorer.ts';
import { tinyConfig } from '../testing/tiny-run.ts';
import { type RunOptions, type RunResult, runTraining } from './run.ts';

const cpu = ortCpuRuntime({ threads: 1 });

/** The CPU, as a device whose memory is full after so many steps; without its state where that is lost. */
const failing = (steps: number, lost: boolean): TrainingRuntime => ({
  device: 'failing',
  async open(step, state) {
    const session = await cpu.open(step, state);
    let done = 0;
    return {
      ...session,
      step: (feeds) =>
        done++ < steps ? session.step(feeds) : Promise.reject(new Error('std::bad_alloc\nmore')),
      read: (name) => (lost && done > steps ? Promise.reject(new Error('lost')) : session.read(name)),
    };
  },
});

describe('a training run on several devices', () => {
  let directory: string;
  const dataset = tinyDataset('tiny', 1);
  let queries: QuerySets;
  const run = (changes: Partial<RunOptions> = {}): Promise<RunResult> => {
    const { config = tinyConfig() } = changes;
    return runTraining({
      ...{ directory, dataset, config, queries },
      validate: float64Validation(config, dataset.graphs().train, queries.valid),
      runtime: cpu,
      resume: false,
      ...changes,
    });
  };
  const lastOf = async (result: RunResult): Promise<Record<string, Float32Array>> =>
    Object.fromEntries(
      Object.entries(await loadTensors(directory, result.state.last!)).map(([name, { data }]) => [
        name,
        data as Float32Array,
      ]),
    );
  const begin = async (): Promise<void> => {
    directory = await mkdtemp(join(tmpdir(), 'fuzzqe-devices-'));
  };
  const end = (): Promise<void> => rm(directory, { recursive: true, force: true });

  beforeEach(async () => {
    await begin();
    queries ??= await sampleQuerySets(dataset, {
      sizes: { train: 20, valid: 5, test: 1 },
      random: createRandom('queries'),
    });
  });
  afterEach(end);

  /** Stops a run after so many steps. */
  const stopAfter = (steps: number): Pick<RunOptions, 'signal' | 'onStep'> => {
    const controller = new AbortController();
    return { signal: controller.signal, onStep: ({ step }) => step === steps && controller.abort() };
  };

  it.each([
    ['cpu', 'tfjs:wasm'],
    ['tfjs:wasm', 'cpu'],
  ])('goes on from %s on %s as if nothing had happened', async (first, second) => {
    const runtimes: Record<string, TrainingRuntime> = { cpu, 'tfjs:wasm': tfjsRuntime('wasm') };
    const whole = await lastOf(await run());
    await end();
    await begin();
    const stopped = await run({ runtime: runtimes[first]!, ...stopAfter(7) });
    const elsewhere = await lastOf(stopped);
    expect(stopped.state).toMatchObject({ device: first, status: 'stopped', last: { step: 7 } });
    const resumed = await run({ runtime: runtimes[second]!, resume: true });
    expect(resumed.state).toMatchObject({ device: second, status: 'finished', last: { step: 20 } });
    const found = await lastOf(resumed);
    const apart = (a: Float32Array, b: Float32Array): number =>
      a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i]!)), 0);
    for (const [name, data] of Object.entries(whole))
      expect(apart(data, found[name]!), name).toBeLessThan(5e-3);
    // Another place to go on from would not have led there.
    expect(apart(whole['entities']!, elsewhere['entities']!)).toBeGreaterThan(0.02);
  });

  it('saves the state before a step that ran out of memory, and says so', async () => {
    await expect(run({ runtime: failing(7, false) })).rejects.toMatchObject({
      code: 'runtime',
      message: 'failing ran out of memory at step 8: std::bad_alloc',
      hint: expect.stringMatching(/^step 7 is saved: go on from it with --resume/),
    });
    expect(await readRunState(directory)).toMatchObject({ status: 'stopped', last: { step: 7 } });
    const resumed = await lastOf(await run({ resume: true }));
    await end();
    await begin();
    expect(resumed).toEqual(await lastOf(await run()));
  });

  it('keeps the last checkpoint where the state is lost with the device', async () => {
    await expect(run({ runtime: failing(7, true) })).rejects.toMatchObject({
      message: 'failing ran out of memory at step 8: std::bad_alloc',
      hint: expect.stringMatching(/^the last checkpoint is good/),
    });
    expect((await readRunState(directory)).last?.step).toBe(5);
  });

  it('says which step failed for another reason', async () => {
    const runtime: TrainingRuntime = {
      device: 'odd',
      open: async (step, state) => ({
        ...(await cpu.open(step, state)),
        step: () => Promise.reject(new Error('device lost')),
      }),
    };
    await expect(run({ runtime })).rejects.toThrow('step 1 failed on odd: device lost');
  });

  it('refuses what does not fit before anything is trained, with sizes and what to reduce', async () => {
    await expect(run({ limits: { memoryBytes: 10_000 } })).rejects.toMatchObject({
      code: 'runtime',
      message: expect.stringMatching(
        /^cpu: a step needs [\d.]+ MiB, the device has 9.8 KiB: parameters and optimiser .* KiB, intermediate results .* KiB/,
      ),
      hint: expect.stringContaining('Reduce model.dimension'),
    });
    await expect(readRunState(directory)).rejects.toMatchObject({ code: 'checkpoint' });
    expect((await run({ limits: { memoryBytes: 2 ** 30, bufferBytes: 2 ** 20 } })).step).toBe(20);
  });

  it('trains several steps at once where the device would, up to each validation', async () => {
    const counts: number[] = [];
    const unrolled: TrainingRuntime = {
      device: 'unrolled',
      async open(step, state) {
        const options = { executionProviders: ['cpu'], intraOpNumThreads: 1 };
        const session = await openUnrolled(step, state, options, 3);
        return {
          ...session,
          step: (feeds) => {
            counts.push(1);
            return session.step(feeds);
          },
          multiStep: {
            count: 3,
            run: (feeds) => {
              counts.push(feeds.length);
              return session.multiStep!.run(feeds);
            },
          },
        };
      },
    };
    const found = await lastOf(await run({ runtime: unrolled }));
    expect(counts).toEqual([3, 2, 3, 2, 3, 2, 3, 2]);
    const log = await readRunLog(directory);
    expect(log.filter(({ kind }) => kind === 'validation').map(({ step }) => step)).toEqual([5, 10, 15, 20]);
    await end();
    await begin();
    const expected = await lastOf(await run());
    for (const [name, data] of Object.entries(expected))
      data.forEach((value, i) => {
        expect(Math.abs(value - found[name]![i]!), `${name}[${i}]`).toBeLessThan(5e-3);
      });
  });
});
