import { basename, join, resolve } from 'node:path';
import { createRandom } from '@fuzzqe/core';
import {
  countQueries,
  type Dataset,
  hasHeldOutFacts,
  type QueryPart,
  type QuerySetOptions,
  type QuerySets,
  queriesOf,
  queryFileOf,
  queryParts,
  readQueryPart,
  type SampledQueries,
  sampleQuerySets,
} from '@fuzzqe/data';
import { pathExists } from '@fuzzqe/files';
import type { NextCommand } from '../../terminal/next-command.ts';
import { createProgress } from '../../terminal/progress.ts';
import type { Terminal } from '../../terminal/terminal.ts';

/** Everything that decides which queries are sampled, and how fast. */
export type SamplingPlan = Pick<
  QuerySetOptions,
  'sizes' | 'every1p' | 'own' | 'maxAnswers' | 'rules' | 'workers'
> & {
  readonly seed: number;
};

/** Samples the queries of a data set, showing progress. */
export async function sampleWithProgress(
  terminal: Terminal,
  dataset: Dataset,
  { seed, ...plan }: SamplingPlan,
  signal: AbortSignal,
): Promise<QuerySets> {
  const start = Date.now();
  const progress = createProgress(terminal, 'Sampling', 'queries');
  const sets = await sampleQuerySets(dataset, {
    ...plan,
    random: createRandom('queries', seed),
    onProgress: (done, total) => progress.update(done, total),
    signal,
  });
  progress.finish(describeSampled(sets, (Date.now() - start) / 1000).join('\n'));
  return sets;
}

/** `Sampled 400 training and 20 test queries (880 queries/s)`, and which structures the graph is too small for. */
export function describeSampled(sets: QuerySets, seconds: number): string[] {
  const counts = queryParts.map((part) => ({ part, count: countQueries(queriesOf(sets, part)) }));
  const rate = counts.reduce((sum, { count }) => sum + count, 0) / seconds;
  const told = counts
    .filter(({ count }) => count > 0)
    .map(({ part, count }) => `${count} ${partNames[part]}`);
  const words = told.length === 0 ? 'no' : told.join(' and ');
  const missing = queryParts
    .filter((part) => sets.missing[part].length > 0)
    .map((part) => `No ${part} queries in a graph this small: ${sets.missing[part].join(', ')}`);
  return [`Sampled ${words} queries (${rate.toFixed(0)} queries/s)`, ...missing];
}

const partNames: Readonly<Record<QueryPart, string>> = {
  train: 'training',
  valid: 'validation',
  test: 'test',
};

/** What to do with a data set: train on the queries that are there, or first sample them. A query that is given is asked instead of sampling. */
export async function nextCommandWithData(folder: string, query?: string): Promise<NextCommand> {
  if (!(await pathExists(queryFileOf(folder, 'train'))))
    return query === undefined ? ['data', 'sample', folder] : ['ask', folder, query];
  return ['train', folder, '--out', runOf(folder)];
}

/** Where the run of a data set usually is. */
export const runOf = (folder: string): string => join('runs', basename(resolve(folder)));

/** The queries of a part, or none where the folder has no file of them; throws as `readQueryFileOf` does. */
export async function queriesThere(
  folder: string,
  dataset: Dataset,
  part: QueryPart,
): Promise<SampledQueries[]> {
  return (await pathExists(queryFileOf(folder, part))) ? readQueryPart(folder, dataset, part) : [];
}

/**
 * The validation queries, or none, which a note says, where no facts are held out and so there cannot be any.
 *
 * Throws as `readQueryFileOf` does.
 */
export async function validationQueries(
  terminal: Terminal,
  folder: string,
  dataset: Dataset,
): Promise<SampledQueries[]> {
  if (hasHeldOutFacts(dataset, 'valid') || (await pathExists(queryFileOf(folder, 'valid'))))
    return readQueryPart(folder, dataset, 'valid');
  terminal.note(
    'No validation facts are held out, so nothing is validated: the last parameters are taken as the best.',
  );
  return [];
}
