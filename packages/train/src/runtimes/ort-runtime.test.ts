import { tinyGraph } from '@fuzzqe/data/testing';
import { describe, expect, it } from 'vitest';
import { createBatchLayout } from '../step/batch-layout.ts';
import { type StepProgram, stateNames, stepProgram } from '../step/step-program.ts';
import { tinyConfig, tinyModel } from '../testing/tiny-run.ts';
import { tinySteps } from '../testing/tiny-steps.ts';
import { describeTrainingRuntime } from '../testing/training-contract.ts';
import { createBatchSource } from '../training/batch-source.ts';
import { initialState } from '../training/training-state.ts';
import { ortCpuRuntime } from './ort-runtime.ts';
import { type RunnableStep, readState, type TrainingState } from './training-runtime.ts';

describeTrainingRuntime({ describe, it }, 'training with two threads of onnxruntime-node', () =>
  ortCpuRuntime({ threads: 2 }),
);

describe('training on the CPU through ONNX Runtime', () => {
  it('gives the same bytes on one thread and on two', async () => {
    const one = await trainAfter(40, 1);
    const two = await trainAfter(40, 2);
    for (const name of stateNames(tinyConfig())) expect(two[name], name).toEqual(one[name]);
  });

  it('gives the same bytes with AdamW in the graph, where the kernel is not to be had', async () => {
    const withKernel = await trainAfter(10, 1);
    const inGraph = await trainAfter(10, 1, ({ program }) => ({ program }));
    for (const name of stateNames(tinyConfig())) expect(inGraph[name], name).toEqual(withKernel[name]);
  });

  it('gives other bytes after one step more', async () => {
    const some = await trainAfter(3, 1);
    const more = await trainAfter(4, 1);
    expect(more['entities']).not.toEqual(some['entities']);
  });

  it('updates the rows that a step names and no others where it is told so', async () => {
    const told = { negatives: { kind: 'shared', count: 2, byDegree: 0, allFrom: 1 } } as const;
    const config = tinyConfig({
      ...told,
      batch: { '1p': 2 },
      optimiser: { ...tinyConfig().optimiser, rows: 'used' },
    });
    const model = tinyModel(config);
    const step = stepProgram(model, config, createBatchLayout([{ structure: '1p', count: 2 }]));
    const feeds = createBatchSource(model, config, step, { graph: tinyGraph(), queries: [] }).feeds(0);
    const start = initialState(model, config);
    const before = start['entities']!.slice();
    const session = await ortCpuRuntime({ threads: 1 }).open(step, start);
    await session.step(feeds);
    const { entities, bases } = await readState(session, stateNames(config));
    const changed = new Set<number>();
    entities!.forEach((value, i) => {
      if (value !== before[i]) changed.add(Math.floor(i / model.dimension));
    });
    expect(changed).toEqual(new Set([...feeds['entityRows']!.data].sort((a, b) => a - b)));
    expect(entities).toBe(start['entities']);
    expect(bases).not.toBe(start['bases']);
    await session.close();
  });

  it.each([
    ['all entities as negatives', {}, 0, 'a sample of negatives'],
    [
      'clipped gradients',
      { negatives: { kind: 'shared', count: 2, byDegree: 0, allFrom: 1 } },
      1,
      'not clipped',
    ],
  ] as const)('refuses to update used rows alone with %s', (_, changes, clipNorm, expected) => {
    const config = tinyConfig({
      ...changes,
      optimiser: { ...tinyConfig().optimiser, clipNorm, rows: 'used' },
    });
    const layout = createBatchLayout([{ structure: '1p', count: 2 }]);
    expect(() => stepProgram(tinyModel(config), config, layout)).toThrow(expected);
  });

  it('names the state tensor that does not fit', async () => {
    const config = tinyConfig();
    const model = tinyModel(config);
    const step = stepProgram(model, config, createBatchLayout([{ structure: '1p', count: 2 }]));
    const state = { ...initialState(model, config), bases: new Float32Array(3) };
    await expect(ortCpuRuntime({ threads: 1 }).open(step, state)).rejects.toThrow(
      /"bases": expected 192 numbers, got 3/,
    );
  });
});

/** The state after some steps with batches large enough for several threads to share the work. */
async function trainAfter(
  steps: number,
  threads: number,
  told: (step: StepProgram) => RunnableStep = (step) => step,
): Promise<TrainingState> {
  const config = tinyConfig({
    model: { ...tinyConfig().model, dimension: 48, bases: 8 },
    batch: { '1p': 300, '2p': 60, '2i': 60, '3in': 40, pni: 40 },
  });
  const { step, state: start, feeds } = await tinySteps(config);
  const session = await ortCpuRuntime({ threads }).open(told(step), start);
  for (let at = 0; at < steps; at += 1) await session.step(feeds(at));
  const state = await readState(session, stateNames(config));
  await session.close();
  return state;
}
