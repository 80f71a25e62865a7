import { join } from 'node:path';
import { FuzzError, type Random } from '@fuzzqe/core';
import { structureNames } from '@fuzzqe/core/query';
import type { Dataset } from '../datasets/dataset.ts';
import { type QueryStructure, structureOf } from '../queries/query-structure.ts';
import type { SampledQueries } from '../queries/sampled-queries.ts';
import { parseStructure } from '../queries/structure-text.ts';
import { queriesToJsonLines } from '../queries/write-queries.ts';
import { sampleBalanced } from './sample-balanced.ts';
import { type DrawnFile, expectNotDrawn, writeDrawn } from './write-drawn.ts';

/** The name by which an evaluation asks for the balanced queries of a data set. */
export const balancedQueries = 'balanced';

/** The 14 structures, with a chain of four links and a conjunction of four. */
export const balancedStructures: readonly QueryStructure[] = [
  ...structureNames.map((name) => structureOf<string>(name)),
  ...[
    '4p = project(?d, project(?c, project(?b, project(?a, ?start))))',
    '4i = and(project(?a, ?1), project(?b, ?2), project(?c, ?3), project(?d, ?4))',
  ].map(parseStructure),
];

/** Where a data set's folder has the balanced queries of a part. */
export function balancedFileOf(folder: string, part: 'valid' | 'test'): string {
  return join(folder, 'queries', `${part}.balanced.jsonl`);
}

/** How balanced queries of a data set are sampled. */
export interface BalancedSetOptions {
  /** How many of each structure. */
  readonly count: number;
  readonly random: Random;
  /** Default 100. */
  readonly maxAnswers?: number;
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/**
 * Samples queries of 16 structures, as many for each number of missing links: answers on the known facts of a part are easy, answers
 * that need its held-out facts are hard.
 *
 * A small graph may have fewer queries of a structure than were asked for, or none.
 *
 * @throws FuzzError `data`: no query of any structure was found, or no facts are held out. `interrupted`.
 * @example
 * const queries = await sampleBalancedSet(dataset, 'test', { count: 300, random: createRandom('balanced', 1) });
 */
export async function sampleBalancedSet(
  dataset: Dataset,
  part: 'valid' | 'test',
  { count, random, onProgress, ...options }: BalancedSetOptions,
): Promise<SampledQueries<string>[]> {
  const { train, trainValid, full } = dataset.graphs();
  const [smaller, larger] = part === 'test' ? [trainValid, full] : [train, trainValid];
  const queries: SampledQueries<string>[] = [];
  for (const [i, structure] of balancedStructures.entries()) {
    const found = await sampleBalanced({
      ...{ ...options, structure, count, smaller, larger },
      random: random.fork(part, structure.name),
      onProgress: (done) => onProgress?.(i * count + done, balancedStructures.length * count),
    });
    if (found.count > 0) queries.push(found);
  }
  if (queries.length > 0) return queries;
  throw new FuzzError('data', `no ${part} query of any structure could be found: the graph is too small`, {
    path: dataset.name,
    hint: 'Add facts, some of them held out.',
  });
}

const drawn = (folder: string, part: 'valid' | 'test'): DrawnFile => ({
  folder,
  path: balancedFileOf(folder, part),
  what: `balanced ${part} queries`,
  option: '--balanced',
});

/**
 * Writes the balanced queries of a part into the folder of their data set, and how to draw them again into `<part>.balanced.rules.json`.
 *
 * @throws FuzzError `usage`: without `replace`, there are balanced queries of the part already.
 */
export function writeBalancedSet(
  folder: string,
  part: 'valid' | 'test',
  queries: readonly SampledQueries<string>[],
  by: { readonly seed: number; readonly each: number; readonly maxAnswers: number },
  options: { readonly replace?: boolean } = {},
): Promise<void> {
  return writeDrawn(drawn(folder, part), queriesToJsonLines(queries), by, options);
}

/** Refuses to replace balanced queries that are there. Throws FuzzError `usage`. */
export function expectNoBalanced(folder: string, part: 'valid' | 'test'): Promise<void> {
  return expectNotDrawn(drawn(folder, part));
}
