import { access, mkdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { createRandom, FuzzError } from '@fuzzqe/core';
import type { StructureName } from '@fuzzqe/core/query';
import {
  type Dataset,
  hashFile,
  isPublished,
  type QuerySetOptions,
  type QuerySets,
  queriesToJsonLines,
  readQueries,
  type SampledQueries,
  sampleQuerySets,
  writeFileWhole,
} from '@fuzzqe/data';
import { isThere } from '../../runs/is-there.ts';
import type { NextCommand } from '../../terminal/next-command.ts';
import { createProgress } from '../../terminal/progress.ts';
import type { Terminal } from '../../terminal/terminal.ts';

/** The parts of a data set's queries, each in `queries/<part>.jsonl` of its folder. */
export const queryParts = ['train', 'valid', 'test'] as const;
export type QueryPart = (typeof queryParts)[number];

/** Where a data set's folder has the queries of a part. */
export function queryFileOf(folder: string, part: QueryPart): string {
  return join(folder, 'queries', `${part}.jsonl`);
}

/** Everything that decides which queries are sampled, and how fast. */
export type SamplingPlan = Pick<QuerySetOptions, 'sizes' | 'every1p' | 'own' | 'maxAnswers' | 'workers'> & {
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
  const counts = queryParts.map((part) => ({ part, count: countOf(queriesOf(sets, part)) }));
  const rate = counts.reduce((sum, { count }) => sum + count, 0) / ((Date.now() - start) / 1000);
  const words = counts.map(({ part, count }) => `${count} ${part}`).join(', ');
  progress.finish(`Sampled ${words} queries (${rate.toFixed(0)} queries/s)`);
  return sets;
}

/** Writes the queries into the folder of their data set; a part without queries is left as it is. */
export async function writeQuerySets(folder: string, sets: QuerySets): Promise<void> {
  await mkdir(join(folder, 'queries'), { recursive: true });
  for (const part of queryParts.filter((each) => countOf(queriesOf(sets, each)) > 0))
    await writeFileWhole(queryFileOf(folder, part), inBlocks(queriesToJsonLines(queriesOf(sets, part))));
}

/** What to do with a data set: sample queries to learn from, or train on those that are there. */
export async function nextWithData(folder: string): Promise<NextCommand> {
  if (!(await isThere(queryFileOf(folder, 'train')))) return ['data', 'sample', folder];
  return ['train', folder, '--out', join('runs', basename(resolve(folder)))];
}

/** Queries of a file, and what names the file's content beside every figure that is computed from them. */
export interface QueryFile {
  readonly path: string;
  /** SHA-256 of the file's bytes. */
  readonly sha256: string;
  /** Queries of the 14 structures and after them those of own ones. */
  readonly queries: readonly SampledQueries<string>[];
}

/** Reads a file of queries; easy answers that it does not list are those on the smaller graph of its part. */
export async function readQueryFile(path: string, dataset: Dataset, part: QueryPart): Promise<QueryFile> {
  const { train, trainValid } = dataset.graphs();
  const { entityCount, relationCount } = dataset.vocabulary;
  const queries = await readQueries(path, {
    bounds: { entityCount, relationCount },
    smaller: part === 'test' ? trainValid : train,
  });
  return { path, sha256: await hashFile(path), queries };
}

/** Reads one part of a data set's queries. Throws: 'usage' where it was not sampled yet, 'data' where it is damaged. */
export async function readQueryFileOf(folder: string, dataset: Dataset, part: QueryPart): Promise<QueryFile> {
  const path = queryFileOf(folder, part);
  try {
    await access(path);
  } catch (cause) {
    throw new FuzzError('usage', `the data set has no ${part} queries yet`, {
      path,
      hint: `sample them: fuzzqe data sample ${folder}`,
      cause,
    });
  }
  return readQueryFile(path, dataset, part);
}

/** The queries of the 14 structures in one part; throws as `readQueryFileOf` does. */
export async function readQueryPart(
  folder: string,
  dataset: Dataset,
  part: QueryPart,
): Promise<SampledQueries[]> {
  const { queries } = await readQueryFileOf(folder, dataset, part);
  return queries.filter((each): each is SampledQueries<StructureName> => isPublished(each.structure));
}

function queriesOf(sets: QuerySets, part: QueryPart): readonly SampledQueries<string>[] {
  return part === 'train' ? sets.train : [...sets[part], ...sets.own[part]];
}

function countOf(queries: readonly SampledQueries<string>[]): number {
  return queries.reduce((sum, { count }) => sum + count, 0);
}

/** Lines joined to about a megabyte: a write a line would take longer than sampling. */
function* inBlocks(lines: Iterable<string>): Generator<string> {
  let block: string[] = [];
  let length = 0;
  for (const line of lines) {
    block.push(line);
    length += line.length;
    if (length < 1 << 20) continue;
    yield block.join('');
    block = [];
    length = 0;
  }
  yield block.join('');
}
