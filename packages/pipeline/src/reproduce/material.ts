import { join } from 'node:path';
import { manyEntities } from '@fuzzqe/bundle';
import { FuzzError } from '@fuzzqe/core';
import {
  countQueries,
  type Dataset,
  hasHeldOutFacts,
  hashDataset,
  isPublished,
  ownSetName,
  type QuerySets,
  queryFileOf,
  type SampledQueries,
  someQueries,
} from '@fuzzqe/data';
import { hashFile } from '@fuzzqe/files';
import { presets } from '@fuzzqe/train';
import { openDataset } from '../open-dataset.ts';
import { openQuerySets } from '../open-query-sets.ts';
import type { ReproduceOptions } from './reproduce.ts';
import type { Reproduction } from './reproduction.ts';
import { tableKinds } from './table-kinds.ts';

/** What a table trains on and asks. */
export interface Material {
  readonly dataset: Dataset;
  readonly queries: QuerySets;
  readonly part: 'valid' | 'test';
  readonly asked: readonly SampledQueries[];
  readonly described: { readonly data: string; readonly queries: Reproduction['queries'] };
}

/**
 * The data set and its queries, in the folder of the table; queries are drawn if the data have no queries.
 *
 * @throws FuzzError `usage`: the folder holds another graph, or the data hold out no facts. `data`: the data.
 */
export async function openMaterial(options: ReproduceOptions, threads: number): Promise<Material> {
  const { table, out, signal, onEvent = () => {} } = options;
  const counting =
    (what: string, unit: string) =>
    (done: number, total: number): void =>
      onEvent({ kind: 'progress', what, unit, done, total });
  const stop = signal === undefined ? {} : { signal };
  const folder = join(out, 'data');
  const given = options.data;
  const dataset = await openDataset(folder, given, {
    name: options.name ?? (typeof given === 'string' ? 'data' : given.name),
    seed: drawnSeed,
    onProgress: counting('Reading', 'bytes'),
    ...stop,
  });
  const part = hasHeldOutFacts(dataset, 'test') ? 'test' : 'valid';
  if (!hasHeldOutFacts(dataset, 'valid'))
    throw new FuzzError('usage', 'the data set holds out no validation facts: nothing can be compared', {
      path: folder,
      hint: 'Import it with --hold-out 0.1.',
    });
  const isLarge = dataset.vocabulary.entityCount > manyEntities;
  const drawn = isLarge ? 100 : presets.countries.queries.test;
  const usual = presets.countries.queries;
  const queries = await openQuerySets(folder, dataset, {
    sizes: {
      train: tableKinds[table].trainedOn === 'links' ? 0 : usual.train,
      valid: part === 'valid' ? drawn : usual.valid,
      test: drawn,
    },
    seed: drawnSeed,
    workers: threads - 1,
    onProgress: counting('Sampling', 'queries'),
    ...stop,
  });
  const there = queries[part].filter(({ structure }) => isPublished(structure));
  const each = options.each ?? drawn;
  const asked = there.map((of) => someQueries(of, each));
  const described: Material['described'] = {
    data: hashDataset(dataset),
    queries: {
      ...{ part, each, count: countQueries(asked), of: countQueries(there) },
      set: (await ownSetName(folder, dataset, part)) ?? 'of the data set',
      sha256: await hashFile(queryFileOf(folder, part)),
    },
  };
  return { dataset, queries, part, asked, described };
}

/** The seed of the split, where it is drawn, and of drawn queries: the same for all seeds of training. */
const drawnSeed = 1;
