import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createRandom, FuzzError } from '@fuzzqe/core';
import {
  type Dataset,
  type QuerySetSizes,
  type QuerySets,
  queriesToJsonLines,
  readQueries,
  type SampledQueries,
  sampleQuerySets,
  writeFileWhole,
} from '@fuzzqe/train';
import { createProgress } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** The parts of a data set's queries, each in `queries/<part>.jsonl` of its folder. */
export const queryParts = ['train', 'valid', 'test'] as const;
export type QueryPart = (typeof queryParts)[number];

const fileOf = (folder: string, part: QueryPart): string => join(folder, 'queries', `${part}.jsonl`);

/** Samples the queries of a data set, showing progress. */
export async function sampleWithProgress(
  terminal: Terminal,
  dataset: Dataset,
  sizes: QuerySetSizes,
  seed: number,
  signal: AbortSignal,
): Promise<QuerySets> {
  const start = Date.now();
  const progress = createProgress(terminal, 'Sampling', 'queries');
  const sets = await sampleQuerySets(dataset, {
    sizes,
    random: createRandom('queries', seed),
    onProgress: (done, total) => progress.update(done, total),
    signal,
  });
  const count = (part: readonly SampledQueries[]): number => part.reduce((sum, each) => sum + each.count, 0);
  const counts = queryParts.map((part) => `${count(sets[part])} ${part}`).join(', ');
  const rate = queryParts.reduce((sum, part) => sum + count(sets[part]), 0) / ((Date.now() - start) / 1000);
  progress.finish(`Sampled ${counts} queries (${rate.toFixed(0)} queries/s)`);
  return sets;
}

/** Writes the queries into the folder of their data set. */
export async function writeQuerySets(folder: string, sets: QuerySets): Promise<void> {
  await mkdir(join(folder, 'queries'), { recursive: true });
  for (const part of queryParts)
    await writeFileWhole(
      fileOf(folder, part),
      Array.from(queriesToJsonLines(sets[part])).map(ensureNewline).join(''),
    );
}

const ensureNewline = (line: string): string => (line.endsWith('\n') ? line : `${line}\n`);

/** Reads one part of a data set's queries. Throws: 'usage' where it was not sampled yet, 'data' where it is damaged. */
export async function readQueryPart(
  folder: string,
  dataset: Dataset,
  part: QueryPart,
): Promise<SampledQueries[]> {
  const path = fileOf(folder, part);
  try {
    await access(path);
  } catch (cause) {
    throw new FuzzError('usage', `the data set has no ${part} queries yet`, {
      path,
      hint: `sample them: fuzzqe data sample ${folder}`,
      cause,
    });
  }
  const { entityCount, relationCount } = dataset.vocabulary;
  return readQueries(path, { bounds: { entityCount, relationCount } });
}
