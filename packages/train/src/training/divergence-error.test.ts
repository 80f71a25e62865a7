import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom } from '@fuzzqe/core';
import { sampleQuerySets } from '@fuzzqe/data';
import { tinyDataset } from '@fuzzqe/data/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadTensors, readRunState } from '../checkpoint/checkpoint.ts';
import type { TrainingConfig } from '../config.ts';
import { ortCpuRuntime } from '../runtimes/ort-runtime.ts';
import type { TrainingRuntime } from '../runtimes/training-runtime.ts';
import { float64Validation } from '../testing/float64-scorer.ts';
import { tinyConfig } from '../testing/tiny-run.ts';
import { runTraining } from './run.ts';

const cpu = ortCpuRuntime({ threads: 1 });

/** The CPU with one number of a state tensor spoilt before step 8. */
function spoilt(name: string, element: number): TrainingRuntime {
  return {
    device: 'spoilt',
    async open(step, state) {
      const session = await cpu.open(step, state);
      let steps = 0;
      return {
        ...session,
        async step(feeds) {
          steps += 1;
          if (steps === 8) {
            const data = await session.read(name);
            data[element] = Number.NaN;
            await session.write(name, data);
          }
          return session.step(feeds);
        },
      };
    },
  };
}

describe('a run whose loss is not a number', () => {
  let directory: string;
  const dataset = tinyDataset('tiny', 1);
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'fuzzqe-diverged-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  const run = async (runtime: TrainingRuntime, changes: Partial<TrainingConfig> = {}): Promise<unknown> => {
    const sizes = { train: 20, valid: 5, test: 1 };
    const queries = await sampleQuerySets(dataset, { sizes, random: createRandom('queries') });
    const config = tinyConfig({ complexFrom: 1, ...changes });
    const validate = float64Validation(config, dataset.graphs().train, queries.valid);
    return runTraining({ directory, dataset, config, queries, validate, runtime, resume: false });
  };

  it('names the tensor that a bad number stands in, and keeps the checkpoint before it', async () => {
    await expect(run(spoilt('biasBases', 9))).rejects.toMatchObject({
      code: 'config',
      message: expect.stringMatching(
        /^the loss became NaN at step 8: entities\[\d+, 0\] \(entity \d+\) is NaN; so are .*biasBases/,
      ),
      hint: expect.stringContaining('the checkpoint of step 5 is kept'),
    });
    const state = await readRunState(directory);
    expect(state.last!.step).toBe(5);
    const tensors = await loadTensors(directory, state.last!);
    for (const { data } of Object.values(tensors)) expect(data.every(Number.isFinite)).toBe(true);
  });

  it('names the entities where one of them is spoilt', async () => {
    await expect(run(spoilt('entities', 17 * 8 + 3))).rejects.toThrow(
      /step \d+: entities\[\d+, \d\] \(entity \d+\)/,
    );
  });

  it('says that there is no checkpoint yet, where the learning rate is too high from the start', async () => {
    const optimiser = { ...tinyConfig().optimiser, learningRate: 1e37 };
    await expect(run(cpu, { optimiser })).rejects.toMatchObject({
      message: expect.stringMatching(/at step [2-5]: /),
      hint: expect.stringContaining('no checkpoint yet'),
    });
  });

  it('goes on where every number is one', async () => {
    await expect(run(cpu)).resolves.toMatchObject({ ended: 'finished' });
  });
});
