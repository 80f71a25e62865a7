import { join } from 'node:path';
import { FuzzError, type Random } from '@fuzzqe/core';
import { hashFile, pathExists } from '@fuzzqe/files';
import type { Dataset } from '../datasets/dataset.ts';
import { forEachLine } from '../files/lines.ts';
import { isQuerySetName } from '../query-sets/query-set-record.ts';
import { ownPatterns } from '../sampling/drawn-sets.ts';
import { type DrawnFile, expectNotDrawn, writeDrawn } from '../sampling/write-drawn.ts';
import type { AnsweredPattern } from './answered-pattern.ts';
import { efo1Names, efo1Types } from './efo1-types.ts';
import { isPatternLine, patternsToJsonLines, readPatterns } from './pattern-lines.ts';
import { samplePatterns } from './sample-patterns.ts';

/** The parts of which patterns are drawn. */
export const patternParts = ['valid', 'test'] as const;
export type PatternPart = (typeof patternParts)[number];

/** Where a data set's folder has the patterns of a part. */
export function patternFileOf(folder: string, part: PatternPart): string {
  return join(folder, 'queries', `${part}.patterns.jsonl`);
}

/** How patterns of a data set are sampled. */
export interface PatternSetOptions {
  /** How many of each type. */
  readonly count: number;
  readonly random: Random;
  /** Default 100. */
  readonly maxAnswers?: number;
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/**
 * Samples patterns of FIT's types: answers on the known facts of a part are easy, answers that need its held-out facts are hard.
 *
 * A small graph may have fewer patterns of a type than were asked for, or none.
 *
 * @throws FuzzError `data`: no pattern of any type was found. `interrupted`.
 * @example
 * const patterns = await samplePatternSet(dataset, 'test', { count: 250, random: createRandom('patterns', 1) });
 */
export async function samplePatternSet(
  dataset: Dataset,
  part: PatternPart,
  { count, random, onProgress, ...options }: PatternSetOptions,
): Promise<AnsweredPattern[]> {
  const { train, trainValid, full } = dataset.graphs();
  const [smaller, larger] = part === 'test' ? [trainValid, full] : [train, trainValid];
  const patterns: AnsweredPattern[] = [];
  for (const [i, name] of efo1Names.entries()) {
    const found = await samplePatterns({
      ...{ ...options, type: efo1Types[name], count, smaller, larger },
      random: random.fork(part, name),
      onProgress: (done) => onProgress?.(i * count + done, efo1Names.length * count),
    });
    patterns.push(...found);
  }
  if (patterns.length > 0) return patterns;
  throw new FuzzError('data', `no ${part} pattern of any type could be found: the graph is too small`, {
    path: dataset.name,
    hint: 'Add facts, some of them held out.',
  });
}

/** By which numbers and seed patterns were drawn. */
export interface PatternsDrawnBy {
  readonly seed: number;
  readonly each: number;
  readonly maxAnswers: number;
}

/**
 * Writes the patterns of a part into the folder of their data set, and how to draw them again into `<part>.patterns.rules.json`.
 *
 * @throws FuzzError `usage`: without `replace`, there are patterns of the part already.
 */
export async function writePatternSet(
  folder: string,
  part: PatternPart,
  patterns: readonly AnsweredPattern[],
  by: PatternsDrawnBy,
  { replace = false }: { readonly replace?: boolean } = {},
): Promise<void> {
  await writeDrawn(drawnPatterns(folder, part), patternsToJsonLines(patterns), by, { replace });
}

const drawnPatterns = (folder: string, part: PatternPart): DrawnFile => ({
  folder,
  path: patternFileOf(folder, part),
  what: `${part} patterns`,
  option: '--patterns',
});

/**
 * Refuses to replace patterns that are there.
 *
 * @throws FuzzError `usage`.
 */
export function expectNoPatterns(folder: string, part: PatternPart): Promise<void> {
  return expectNotDrawn(drawnPatterns(folder, part));
}

/** Patterns of a file, and what names the file's content. */
export interface PatternFile {
  readonly path: string;
  readonly part: PatternPart;
  /** `drawn` for the patterns of the data set; a file has none. */
  readonly set?: 'drawn';
  /** SHA-256 of the file's bytes. */
  readonly sha256: string;
  readonly patterns: readonly AnsweredPattern[];
}

/**
 * Reads the patterns that are asked for: `patterns` are those of the data set, and a path is that of a file.
 *
 * Undefined if no patterns are asked for, but queries: `openQueries` reads them.
 *
 * @throws FuzzError `usage`: the data set has no patterns of the part. `data`: as `readPatterns`.
 * @example
 * const file = await openPatterns('data', dataset, { queries: 'patterns', part: 'valid' });
 */
export async function openPatterns(
  folder: string,
  dataset: Dataset,
  { queries, part = 'test' }: { readonly queries?: string; readonly part?: PatternPart },
): Promise<PatternFile | undefined> {
  if (queries === undefined) return undefined;
  const isOwn = queries === ownPatterns;
  const path = isOwn ? patternFileOf(folder, part) : queries;
  if (isOwn && !(await pathExists(path)))
    throw new FuzzError('usage', `the data set has no ${part} patterns yet`, {
      path,
      hint: `sample them: fuzzqe data sample ${folder} --patterns 250`,
    });
  if (!isOwn && ((isQuerySetName(path) && !(await pathExists(path))) || !(await isPatternFile(path))))
    return undefined;
  const patterns = await readPatterns(path, dataset.vocabulary);
  return { path, part, ...(isOwn ? { set: 'drawn' } : {}), sha256: await hashFile(path), patterns };
}

/** Whether the first line of a file is that of a pattern. */
async function isPatternFile(path: string): Promise<boolean> {
  const enough = new Error('the first line is enough');
  let first = '';
  try {
    await forEachLine(path, (line) => {
      if (line === '') return;
      first = line;
      throw enough;
    });
  } catch (cause) {
    if (cause !== enough) throw cause;
  }
  return isPatternLine(first);
}
