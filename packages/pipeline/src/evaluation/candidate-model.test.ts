import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom } from '@fuzzqe/core';
import { loadCountries, sampleQuerySets } from '@fuzzqe/data';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeUntrainedRun } from '../testing/write-untrained-run.ts';
import { type OpenModel, openRun, openRunAsSets } from './candidate-model.ts';
import { type ComparisonTask, compareModels } from './compare-models.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-candidate-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const dataset = loadCountries({ seed: 1 });
const { train } = dataset.graphs();

it('a run without calibration answers by the default weights, and ranking ends with the signal', async () => {
  const run = join(folder, 'run');
  await writeUntrainedRun(run, dataset);
  const { valid } = await sampleQuerySets(dataset, {
    sizes: { train: 0, valid: 1, test: 0 },
    random: createRandom('candidate'),
  });
  let closed = 0;
  const counted = (opened: OpenModel): OpenModel => ({
    ...opened,
    async close() {
      closed += 1;
      await opened.close();
    },
  });
  const compare = (signal?: AbortSignal) => {
    const task: ComparisonTask = {
      ...({ dataset, split: 'valid', queries: valid.slice(0, 3), baselines: false } as const),
      models: [
        {
          ...({ name: 'sets', mode: 'sets' } as const),
          open: async () => counted(await openRunAsSets(run, { trained: train, facts: train, threads: 1 })),
        },
        {
          ...({ name: 'embedding', mode: 'embedding' } as const),
          open: async () => counted(await openRun(run, { trained: train, threads: 1 })),
        },
      ],
      ...(signal === undefined ? {} : { signal }),
    };
    return compareModels(task);
  };
  const { columns } = await compare();
  expect(columns.map(({ name }) => name)).toEqual(['sets', 'embedding']);
  expect(columns[0]!.checkpoint).toBe(columns[1]!.checkpoint);
  // What is recorded and similar heads say more than a model that was never trained.
  expect(columns[0]!.metrics).not.toEqual(columns[1]!.metrics);
  expect(closed).toBe(2);
  await expect(compare(AbortSignal.abort())).rejects.toMatchObject({ code: 'interrupted' });
  expect(closed).toBe(3);
});

it('a run is refused on another graph than it was trained on', async () => {
  const run = join(folder, 'other');
  await writeUntrainedRun(run, dataset);
  const options = { trained: train, facts: train, threads: 1, digest: '0'.repeat(64) };
  await expect(openRunAsSets(run, options)).rejects.toMatchObject({ code: 'checkpoint' });
  await expect(openRun(run, { trained: train, threads: 1, digest: '0'.repeat(64) })).rejects.toMatchObject({
    code: 'checkpoint',
  });
});
