import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tinyGraph } from '@fuzzqe/data/testing';
import { structuresOf } from '@fuzzqe/model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBatchLayout } from '../step/batch-layout.ts';
import { stateNames, stepProgram } from '../step/step-program.ts';
import { tinyConfig, tinyModel, tinyQueries } from '../testing/tiny-run.ts';
import { contractCases, withBatch } from '../testing/training-contract.ts';
import { createBatchSource } from '../training/batch-source.ts';
import { batchGroups } from '../training/trainer.ts';
import { initialState } from '../training/training-state.ts';
import { cudaProblem, cudaProviderFiles, explainCudaError, missingLibraries } from './cuda-problem.ts';
import { openUnrolled, ortCudaRuntime } from './ort-cuda-runtime.ts';
import { ortCpuRuntime } from './ort-runtime.ts';
import { readState, type TrainingRuntime } from './training-runtime.ts';

/** The graph and the sessions of the CUDA runtime on the CPU, where one thread is needed for scatter-adds. */
const unrolledOnCpu = (stepsPerRun: number): TrainingRuntime => ({
  device: 'cpu, unrolled',
  open: (step, state) =>
    openUnrolled(step, state, { executionProviders: ['cpu'], intraOpNumThreads: 1 }, stepsPerRun),
});

describe('several steps in one graph', () => {
  const some = contractCases
    .filter((_, i) => i % 4 === 0)
    .map((each) =>
      withBatch(each, { '1p': 6, [structuresOf(each.config.model).includes('2in') ? '2in' : '2i']: 3 }),
    );
  it.each(some)('give the losses and the state of the steps one by one: $name', async ({ config }) => {
    const model = tinyModel(config);
    const graph = tinyGraph();
    const step = stepProgram(model, config, createBatchLayout(batchGroups(config)));
    const source = createBatchSource(model, config, step, { graph, queries: await tinyQueries(graph) });
    const alone = await ortCpuRuntime({ threads: 1 }).open(step, initialState(model, config));
    const together = await unrolledOnCpu(3).open(step, initialState(model, config));
    const losses: number[] = [];
    for (let at = 0; at < 7; at += 1) losses.push(await alone.step(source.feeds(at)));
    const found = [
      ...(await together.multiStep!.run([0, 1, 2].map((at) => source.feeds(at)))),
      await together.step(source.feeds(3)),
      ...(await together.multiStep!.run([4, 5, 6].map((at) => source.feeds(at)))),
    ];
    found.forEach((loss, at) => {
      expect(loss, `step ${at}`).toBeCloseTo(losses[at]!, 4);
    });
    expect(new Set(found).size).toBe(7);
    const names = stateNames(config);
    const [a, b] = [await readState(alone, names), await readState(together, names)];
    for (const name of names)
      a[name]!.forEach((value, i) => {
        expect(Math.abs(value - b[name]![i]!), `${name}[${i}]`).toBeLessThan(1e-4);
      });
    await Promise.all([alone.close(), together.close()]);
  });
});

describe('what is missing for CUDA', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fuzzqe-cuda-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('is its provider, before anything was installed', () => {
    expect(cudaProblem(folder)).toEqual({
      message: expect.stringMatching(/^cuda: .*(not installed|has no CUDA provider)/),
      hint: expect.stringMatching(/fuzzqe install-cuda --cuda 12|--device webgpu/),
    });
  });

  it.skipIf(process.platform !== 'linux')('is no library of files that the loader cannot read', async () => {
    for (const file of cudaProviderFiles) await writeFile(join(folder, file), 'not a library');
    expect(missingLibraries(join(folder, cudaProviderFiles[0]))).toEqual([]);
  });

  it.each([
    ['CUDA failure 35: CUDA driver version is insufficient for CUDA runtime version', 'driver is too old'],
    ['CUDA failure 100: no CUDA-capable device is detected ; GPU=-1', 'no NVIDIA GPU is visible'],
    ['CUDA failure 209: no kernel image is available for execution on the device', 'no kernels for this GPU'],
    [
      'OrtSessionOptionsAppendExecutionProvider_Cuda: Failed to load shared library',
      'provider does not load',
    ],
  ])('is read from the message "%s"', (message, said) => {
    expect(explainCudaError(message)).toMatchObject({
      message: expect.stringContaining(said),
      hint: expect.stringMatching(/\S/),
    });
  });

  it('is not read from other messages', () => {
    expect(explainCudaError('Invalid graph: node has two outputs')).toBeUndefined();
  });

  it('is one line when the runtime is opened', async () => {
    const problem = cudaProblem();
    if (problem === undefined) return; // this machine has CUDA
    const config = tinyConfig();
    const model = tinyModel(config);
    const step = stepProgram(model, config, createBatchLayout([{ structure: '1p', count: 2 }]));
    await expect(ortCudaRuntime().open(step, initialState(model, config))).rejects.toMatchObject({
      code: 'runtime',
      ...problem,
    });
    expect(problem.message).not.toContain('\n');
  });
});
