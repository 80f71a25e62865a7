import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom } from '@fuzzqe/core';
import {
  drawnStructures,
  loadCountries,
  type SampledQueries,
  sampleQueries,
  sampleQuerySets,
} from '@fuzzqe/data';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeUntrainedRun } from '../testing/write-untrained-run.ts';
import {
  type CandidateModel,
  type OpenModel,
  openRun,
  openRunAsSets,
  openRunByAssignments,
} from './candidate-model.ts';
import { type ComparisonTask, compareModels } from './compare-models.ts';
import { type OptimumMode, optimumModes } from './optimum/optimum-modes.ts';

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

it.each([
  ['bases', ['1p', '2in', '4p']],
  ['gqe', ['1p']],
  ['betae', ['1p', '2in']],
  ['betaeDm', ['1p', '2in', '4p']],
  ['complex', ['1p']],
] as const)('a run of %s leaves out queries that it does not embed', async (relationForm, expected) => {
  const run = join(folder, relationForm);
  await writeUntrainedRun(run, dataset, 0, { relationForm });
  const { trainValid } = dataset.graphs();
  const queries: SampledQueries<string>[] = [];
  for (const name of ['1p', '2in', '4p']) {
    const structure = drawnStructures.balanced.find((each) => each.name === name)!;
    const random = createRandom('embedded', name);
    queries.push(
      await sampleQueries<string>({ structure, count: 2, smaller: train, larger: trainValid, random }),
    );
  }
  const { columns } = await compareModels({
    ...({ dataset, split: 'valid', queries, baselines: false } as const),
    models: [
      { name: relationForm, mode: 'embedding', open: () => openRun(run, { trained: train, threads: 1 }) },
    ],
  });
  const { structures, own } = columns[0]!.metrics;
  expect(Object.keys({ ...structures, ...own })).toEqual(expected);
  const { score, close } = await openRun(run, { trained: train, threads: 1 });
  for (const { shape, anchors, relations, structure } of queries) {
    const answered = score(shape, anchors, relations, 1);
    if (expected.some((each) => each === structure)) await expect(answered).resolves.toBeDefined();
    else await expect(answered).rejects.toMatchObject({ code: 'usage', path: '$.mode' });
  }
  await close();
});

it('a run answers by the best assignments over its links, each mode in its own way', async () => {
  const run = join(folder, 'assignments');
  await writeUntrainedRun(run, dataset);
  const { valid } = await sampleQuerySets(dataset, {
    sizes: { train: 0, valid: 2, test: 0 },
    random: createRandom('assignments'),
  });
  const column = (mode: OptimumMode, beam?: number): CandidateModel => ({
    ...{ name: `${mode} ${beam ?? ''}`, mode, run },
    open: () => openRunByAssignments(run, { mode, beam, trained: train, facts: train, threads: 1 }),
  });
  const { columns } = await compareModels({
    ...({ dataset, split: 'valid', queries: valid, baselines: false } as const),
    models: [...optimumModes.map((mode) => column(mode)), column('beam-product', 1)],
  });
  expect(columns.map(({ mode }) => mode)).toEqual([...optimumModes, 'beam-product']);
  const figures = columns.map(({ metrics }) => metrics.structures);
  // Structures with ¬ too.
  expect(Object.keys(figures[2]!)).toEqual(valid.map(({ structure }) => structure));
  const links = figures.map((each) => each['1p']);
  expect(links[0]).toEqual(links[1]);
  expect(links[0]).toEqual(links[3]);
  expect(figures[0]).not.toEqual(figures[1]);
  expect(figures[0]).not.toEqual(figures[2]);
  expect(figures[0]!['3p']).not.toEqual(figures[3]!['3p']);
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
