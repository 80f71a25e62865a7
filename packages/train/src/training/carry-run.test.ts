import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKnowledgeGraph } from '@fuzzqe/core';
import { tinyDataset } from '@fuzzqe/data/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadTensors, readRunState } from '../checkpoint/checkpoint.ts';
import { ortCpuRuntime } from '../runtimes/ort-runtime.ts';
import { tinyConfig } from '../testing/tiny-run.ts';
import { carryRun } from './carry-run.ts';
import { refreshConfig } from './refresh-config.ts';
import { loadBest, type RunOptions, type RunStart, runTraining } from './run.ts';

const dataset = tinyDataset('tiny', 1);
const config = tinyConfig({ batch: { '1p': 6 }, steps: 20 });
let folder: string;
const run = (): string => join(folder, 'run');
const options = (directory: string): Omit<RunOptions, 'config' | 'resume'> => ({
  ...{ directory, dataset, queries: { train: [] }, runtime: ortCpuRuntime({ threads: 1 }) },
  validate: async () => ({ mrr: 0.5, structures: {} }),
});
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-carry-'));
  await runTraining({ ...options(run()), config, resume: false });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const { entityCount, relationCount } = dataset.vocabulary;
const upTo = (count: number): Int32Array => Int32Array.from({ length: count }, (_, id) => id);
const same = { entities: upTo(entityCount), relations: upTo(relationCount) };

it('carries rows by the ids of before, and puts a new entity between those of which the same is said', async () => {
  // The last entity of before is gone, the first is the last now, and one is new: it has the links of entities 1 and 2.
  const entities = Int32Array.of(...upTo(entityCount - 1).slice(1), 0, -1);
  const fresh = entityCount - 1;
  const [one, other, tail] = [0, 1, 10];
  const graph = createKnowledgeGraph({
    ...{ entityCount, relationCount: relationCount + 2 },
    triples: Int32Array.of(one, 0, tail, other, 0, tail, fresh, 0, tail, 3, relationCount, 4),
  });
  const relations = Int32Array.of(...upTo(relationCount), -1, -1);
  const { state, origin } = await carryRun(run(), { graph, config, entities, relations });
  const { parameters, state: of, checkpoint } = await loadBest(run());
  const tensors = await loadTensors(run(), of.last!);
  expect(origin).toEqual({ checkpoint, steps: 20 });
  const width = of.model.dimension;
  const row = (table: Float32Array, id: number): number[] => [
    ...table.subarray(id * width, (id + 1) * width),
  ];
  const table = state['entities']!;
  expect(row(table, 0)).toEqual(row(parameters.entities, 1));
  expect(row(table, entityCount - 2)).toEqual(row(parameters.entities, 0));
  const mean = row(parameters.entities, 1).map((value, i) => (value + row(parameters.entities, 2)[i]!) / 2);
  for (const [i, value] of row(table, fresh).entries()) expect(value).toBeCloseTo(mean[i]!, 6);
  expect(row(state['entities.sum']!, 0)).toEqual(row(tensors['entities.sum']!.data, 1));
  expect(row(state['entities.squareSum']!, fresh)).toEqual(new Array(width).fill(0));
  expect(row(tensors['entities.squareSum']!.data, 1).some((value) => value > 0)).toBe(true);
  const coefficients = parameters.coefficients.length;
  expect(state['coefficients']!.subarray(0, coefficients)).toEqual(parameters.coefficients);
  // A new relation begins as in training: not at 0.
  expect(state['coefficients']!.subarray(coefficients).every((value) => value !== 0)).toBe(true);
  expect(state['bases']).toEqual(parameters.bases);
});

it('trains from where it begins, says whose run it goes on from, and goes on where it was stopped, to the same bytes', async () => {
  const graph = dataset.graphs().train;
  const short = refreshConfig(config, 5);
  const start: RunStart = await carryRun(run(), { graph, config: short, ...same });
  const validated: number[] = [];
  const train = (directory: string, more: Partial<RunOptions> = {}) =>
    runTraining({ ...options(join(folder, directory)), config: short, resume: false, start, ...more });
  const { state } = await train('whole', { onValidation: ({ step }) => validated.push(step) });
  expect(validated).toEqual([0, 5]);
  // The later of two equal validations is no better: what it began with is kept.
  expect(state.best!.step).toBe(0);
  expect((await loadBest(join(folder, 'whole'))).parameters).toEqual((await loadBest(run())).parameters);
  expect(state.origin).toEqual({ checkpoint: (await loadBest(run())).checkpoint, steps: 20 });
  const { sha256 } = state.last!;
  const stop = new AbortController();
  await train('stopped', { onStep: ({ step }) => void (step === 2 && stop.abort()), signal: stop.signal });
  expect((await train('stopped', { resume: true })).state.last!.sha256).toBe(sha256);
  // Fresh parameters lead elsewhere, and so do sums that are taken for those of a first step.
  for (const [directory, from] of [
    ['fresh', undefined],
    ['unsaid', { ...start, origin: { ...start.origin, steps: 0 } }],
  ] as const)
    expect((await train(directory, { start: from })).state.last!.sha256).not.toBe(sha256);
});

it('counts the steps of all runs before', async () => {
  const graph = dataset.graphs().train;
  const { origin } = await carryRun(join(folder, 'whole'), { graph, config, ...same });
  expect(origin.steps).toBe(25);
});

it('refuses a run without the state of its optimiser', async () => {
  const bare = join(folder, 'bare');
  await runTraining({ ...options(bare), config, resume: false });
  const path = join(bare, 'state.json');
  const { last: _, ...state } = JSON.parse(await readFile(path, 'utf8'));
  await writeFile(path, JSON.stringify(state));
  await expect(carryRun(bare, { graph: dataset.graphs().train, config, ...same })).rejects.toMatchObject({
    code: 'checkpoint',
    message: expect.stringContaining('expected a last checkpoint'),
  });
  await expect(
    carryRun(join(folder, 'none'), { graph: dataset.graphs().train, config, ...same }),
  ).rejects.toMatchObject({ code: 'checkpoint', message: expect.stringContaining('no training run here') });
  expect((await readRunState(run())).last).toBeDefined();
});

it('goes on as the run ended: with all structures, the last negatives and a short warm-up', () => {
  const long = tinyConfig({ batch: { '1p': 6 }, steps: 1000 });
  const phased = {
    ...long,
    complexFrom: 0.5,
    negatives: { ...long.negatives, allFrom: 0.9 },
    validation: { ...long.validation, every: 400 },
    optimiser: {
      ...long.optimiser,
      schedule: { ...long.optimiser.schedule, warmupSteps: 200 },
    },
  };
  const refreshed = refreshConfig(phased, 100);
  expect(refreshed).toMatchObject({
    ...{ steps: 100, complexFrom: 0, negatives: { allFrom: 0 }, validation: { every: 100 } },
    optimiser: { schedule: { warmupSteps: 10 } },
  });
  expect(refreshConfig({ ...phased, complexFrom: 1, negatives: long.negatives }, 500)).toMatchObject({
    ...{ complexFrom: 1, negatives: long.negatives, validation: { every: 400 } },
    optimiser: { schedule: { warmupSteps: 50 } },
  });
});
