import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom } from '@fuzzqe/core';
import { loadCountries, sampleQuerySets } from '@fuzzqe/data';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeUntrainedRun } from '../testing/write-untrained-run.ts';
import { openRunAsSets } from './candidate-model.ts';
import { type ComparisonTask, compareModels } from './compare-models.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-candidate-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('sums over many entities for a run without calibration are heard of, and end with the signal', async () => {
  const dataset = loadCountries({ seed: 1 });
  const run = join(folder, 'run');
  await writeUntrainedRun(run, dataset);
  const { valid } = await sampleQuerySets(dataset, {
    sizes: { train: 0, valid: 1, test: 0 },
    random: createRandom('candidate'),
  });
  const { train } = dataset.graphs();
  const compare = async (stopAt: number, manyEntities = train.entityCount - 1) => {
    const [stopping, heard, ranked]: [AbortController, number[], string[]] = [new AbortController(), [], []];
    const task: ComparisonTask = {
      ...({ dataset, split: 'valid', queries: valid.slice(0, 1), baselines: false } as const),
      models: [
        {
          ...({ name: 'sets', mode: 'sets' } as const),
          open: (work) => openRunAsSets(run, { ...work, facts: train, threads: 1, manyEntities }),
        },
      ],
      signal: stopping.signal,
      onProgress: (name) => ranked.push(name),
      onLinks: (name, done, total) => {
        expect(name).toBe('sets');
        heard.push(done / total);
        if (heard.length === stopAt) stopping.abort();
      },
    };
    const ended = await compareModels(task).then(
      ({ columns }) => columns.length,
      (error: unknown) => error,
    );
    return { ended, heard, ranked };
  };
  const all = await compare(0);
  expect(all.ended).toBe(1);
  expect(all.heard.length).toBeGreaterThan(2);
  expect([all.heard[0], all.heard.at(-1)]).toEqual([0, 1]);
  const stopped = await compare(1);
  expect(stopped.ended).toMatchObject({ code: 'interrupted' });
  expect(stopped.heard).toEqual([0]);
  expect(stopped.ranked).toEqual([]);
  // Few entities take no pass of their own.
  expect(await compare(0, train.entityCount)).toMatchObject({ ended: 1, heard: [] });
});
