import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom, createVocabulary } from '@fuzzqe/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadTensors, readRunState } from '../checkpoint/checkpoint.ts';
import { createDataset, type Dataset, splitTriples } from '../datasets/index.ts';
import { ortCpuRuntime } from '../runtimes/ort-runtime.ts';
import { type QuerySets, sampleQuerySets } from '../sampling/query-sets.ts';
import { tinyConfig, tinyGraph } from '../testing/tiny-run.ts';
import { loadBest, type RunOptions, runTraining } from './run.ts';

function tinyDataset(name: string, seed: number): Dataset {
  const names = (count: number, kind: string): { key: string; label: string }[] =>
    Array.from({ length: count }, (_, i) => ({ key: `${kind}:${i}`, label: `${kind} ${i}` }));
  const vocabulary = createVocabulary({ entities: names(24, 'entity'), relations: names(3, 'relation') });
  const parts = splitTriples(tinyGraph().forwardTriples(), {
    entityCount: 24,
    valid: 0.2,
    test: 0.1,
    random: createRandom('split', seed),
  });
  return createDataset({ name, licence: 'CC0-1.0', description: '', vocabulary, ...parts });
}

describe('a training run in a folder', () => {
  let directory: string;
  const dataset = tinyDataset('tiny', 1);
  let queries: QuerySets;

  const run = (changes: Partial<RunOptions> = {}): ReturnType<typeof runTraining> =>
    runTraining({
      directory,
      dataset,
      config: tinyConfig({ dropout: { input: 0.1, output: 0.1 }, complexFrom: 0.4 }),
      queries,
      runtime: ortCpuRuntime({ threads: 1 }),
      threads: 1,
      resume: false,
      ...changes,
    });
  const tensorsOf = async (folder: string): Promise<unknown> => {
    const { last, best } = await readRunState(folder);
    return {
      last: await loadTensors(folder, last!),
      best: await loadTensors(folder, best!),
      step: last!.step,
    };
  };

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'fuzzqe-run-'));
    queries ??= await sampleQuerySets(dataset, {
      sizes: { train: 20, valid: 5, test: 1 },
      random: createRandom('queries'),
    });
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  it('reaches its last step, keeps the best parameters and leaves no other files', async () => {
    const seen: number[] = [];
    const { state, ended, step } = await run({ onValidation: (at) => seen.push(at.step) });
    expect({ ended, step, status: state.status }).toEqual({
      ended: 'finished',
      step: 20,
      status: 'finished',
    });
    expect(seen).toEqual([5, 10, 15, 20]);
    expect((await readdir(directory)).sort()).toEqual(
      [state.best!.file, state.last!.file, 'state.json'].sort(),
    );
    const best = await loadBest(directory);
    expect(best.parameters.entities).toHaveLength(24 * 8);
  });

  it.each([3, 8, 13])('gives the same bytes when it is stopped after step %i and resumed', async (stopAt) => {
    await run();
    const whole = await tensorsOf(directory);
    await rm(directory, { recursive: true });
    const stop = new AbortController();
    const first = await run({ onStep: ({ step }) => step === stopAt && stop.abort(), signal: stop.signal });
    expect(first).toMatchObject({ ended: 'interrupted', step: stopAt });
    await run({ resume: true });
    expect(await tensorsOf(directory)).toEqual(whole);
  });

  it('gives other bytes with another seed', async () => {
    await run();
    const one = await tensorsOf(directory);
    await rm(directory, { recursive: true });
    await run({ config: tinyConfig({ dropout: { input: 0.1, output: 0.1 }, complexFrom: 0.4, seed: 4 }) });
    expect(await tensorsOf(directory)).not.toEqual(one);
  });

  it('stops when validation has not improved for as long as its patience', async () => {
    const config = tinyConfig({ steps: 400, validation: { every: 5, patience: 10 }, complexFrom: 1 });
    const { ended, state } = await run({ config });
    expect(ended).toBe('converged');
    expect(state.last!.step - state.best!.step).toBe(10);
  });

  it('does not overwrite a run that is there, nor go on with one that is not', async () => {
    await expect(run({ resume: true })).rejects.toThrow(/no training run here/);
    await run();
    await expect(run()).rejects.toThrow(/there is a training run here already/);
  });

  it('refuses to go on with another graph or another configuration', async () => {
    await run();
    await expect(run({ resume: true, dataset: tinyDataset('other', 2) })).rejects.toThrow(
      /another graph \(tiny/,
    );
    const config = tinyConfig({ dropout: { input: 0.2, output: 0.1 }, complexFrom: 0.4 });
    await expect(run({ resume: true, config })).rejects.toThrow(/\$\.dropout\.input was 0\.1, is 0\.2/);
  });

  it('refuses parameters that were altered after they were written', async () => {
    const { state } = await run();
    const path = join(directory, state.best!.file);
    const bytes = await readFile(path);
    bytes[bytes.length - 3]! ^= 0x40;
    await writeFile(path, bytes);
    await expect(loadBest(directory)).rejects.toThrow(/sha256 is .*, expected/);
  });
});
