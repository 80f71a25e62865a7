import { join } from 'node:path';
import { FuzzError, type Random } from '@fuzzqe/core';
import { structureNames } from '@fuzzqe/core/query';
import type { Dataset } from '../datasets/dataset.ts';
import { type QueryStructure, structureOf } from '../queries/query-structure.ts';
import type { SampledQueries } from '../queries/sampled-queries.ts';
import { parseStructure } from '../queries/structure-text.ts';
import { queriesToJsonLines } from '../queries/write-queries.ts';
import { sampleBalanced } from './sample-balanced.ts';
import { sampleUnselected } from './sample-unselected.ts';
import { type DrawnFile, expectNotDrawn, writeDrawn } from './write-drawn.ts';

/** The names by which an evaluation asks for queries that were drawn in addition to the usual queries of a data set. */
export const drawnSets = ['balanced', 'unselected'] as const;
export type DrawnSet = (typeof drawnSets)[number];
/** The name by which an evaluation asks for the patterns of a data set. */
export const ownPatterns = 'patterns';
type Part = 'valid' | 'test';

const published: readonly QueryStructure[] = structureNames.map((name) => structureOf<string>(name));

/** The structures of each set: the 14, and in the balanced one a chain of four links and a conjunction of four. */
export const drawnStructures: Readonly<Record<DrawnSet, readonly QueryStructure[]>> = {
  balanced: [
    ...published,
    ...[
      '4p = project(?d, project(?c, project(?b, project(?a, ?start))))',
      '4i = and(project(?a, ?1), project(?b, ?2), project(?c, ?3), project(?d, ?4))',
    ].map(parseStructure),
  ],
  unselected: published,
};

const samplers = { balanced: sampleBalanced, unselected: sampleUnselected } as const;

/** Where a data set's folder has a set of a part. */
export function drawnSetFile(folder: string, set: DrawnSet, part: Part): string {
  return join(folder, 'queries', `${part}.${set}.jsonl`);
}

/** How a set is sampled. */
export interface DrawnSetOptions {
  /** How many of each structure. */
  readonly count: number;
  readonly random: Random;
  /** Default 100. */
  readonly maxAnswers?: number;
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/**
 * Samples a set of a data set's part: answers on the known facts of the part are easy, answers that need its held-out facts are hard.
 *
 * A small graph may have fewer queries of a structure than were asked for, or none.
 *
 * @throws FuzzError `data`: no query of any structure was found, or no facts are held out. `interrupted`.
 * @example
 * const queries = await sampleDrawnSet(dataset, 'balanced', 'test', { count: 300, random: createRandom('balanced', 1) });
 */
export async function sampleDrawnSet(
  dataset: Dataset,
  set: DrawnSet,
  part: Part,
  { count, random, onProgress, ...options }: DrawnSetOptions,
): Promise<SampledQueries<string>[]> {
  const { train, trainValid, full } = dataset.graphs();
  const [smaller, larger] = part === 'test' ? [trainValid, full] : [train, trainValid];
  const structures = drawnStructures[set];
  const queries: SampledQueries<string>[] = [];
  for (const [i, structure] of structures.entries()) {
    const found = await samplers[set]<string>({
      ...{ ...options, structure, count, smaller, larger },
      random: random.fork(part, structure.name),
      onProgress: (done) => onProgress?.(i * count + done, structures.length * count),
    });
    if (found.count > 0) queries.push(found);
  }
  if (queries.length > 0) return queries;
  throw new FuzzError('data', `no ${part} query of any structure could be found: the graph is too small`, {
    path: dataset.name,
    hint: 'Add facts, some of them held out.',
  });
}

const drawn = (folder: string, set: DrawnSet, part: Part): DrawnFile => ({
  folder,
  path: drawnSetFile(folder, set, part),
  what: `${set} ${part} queries`,
  option: `--${set}`,
});

/**
 * Writes a set of a part into the folder of its data set, and how to draw it again into `<part>.<set>.rules.json`.
 *
 * @throws FuzzError `usage`: without `replace`, there are such queries of the part already.
 */
export function writeDrawnSet(
  folder: string,
  set: DrawnSet,
  part: Part,
  queries: readonly SampledQueries<string>[],
  by: { readonly seed: number; readonly each: number; readonly maxAnswers: number },
  options: { readonly replace?: boolean } = {},
): Promise<void> {
  return writeDrawn(drawn(folder, set, part), queriesToJsonLines(queries), by, options);
}

/** Refuses to replace a set that is there. Throws FuzzError `usage`. */
export function expectNoDrawnSet(folder: string, set: DrawnSet, part: Part): Promise<void> {
  return expectNotDrawn(drawn(folder, set, part));
}
