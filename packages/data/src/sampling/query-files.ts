import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { FuzzError, schema } from '@fuzzqe/core';
import type { StructureName } from '@fuzzqe/core/query';
import { hashFile, pathExists, readWholeFile } from '@fuzzqe/files';
import type { Dataset } from '../datasets/dataset.ts';
import { isPublished } from '../queries/query-structure.ts';
import { type ReadQueriesOptions, readQueries } from '../queries/read-queries.ts';
import type { SampledQueries } from '../queries/sampled-queries.ts';
import { queriesToJsonLines } from '../queries/write-queries.ts';
import { hasHeldOutFacts, type QuerySetOptions, type QuerySets } from './query-sets.ts';
import { duringQueriesLock, writeWithRules } from './write-drawn.ts';

/** The parts of a data set's queries, each in `queries/<part>.jsonl` of its folder. */
export const queryParts = ['train', 'valid', 'test'] as const;
export type QueryPart = (typeof queryParts)[number];

/** Where a data set's folder has the queries of a part. */
export function queryFileOf(folder: string, part: QueryPart): string {
  return join(folder, 'queries', `${part}.jsonl`);
}

/** By which numbers, rules and seed sets were drawn. */
export type DrawnBy = Pick<QuerySetOptions, 'sizes' | 'every1p' | 'maxAnswers' | 'rules'> & {
  readonly seed: number;
};

/**
 * Writes the queries into the folder of their data set, and beside each part in `<part>.rules.json` what draws it again, with
 * the digest of the queries, so that those of a process that was killed stand beside no rules of others; a part without queries
 * is left as it is.
 *
 * @throws FuzzError `usage`: without `replace` (default true), another process wrote queries of a part meanwhile, and nothing was written.
 * @example
 * const sizes = { train: 1000, valid: 50, test: 250 };
 * const sets = await sampleQuerySets(dataset, { sizes, random: createRandom('queries', 1) });
 * await writeQuerySets('data/mine', sets, { sizes, seed: 1 });
 */
export async function writeQuerySets(
  folder: string,
  sets: QuerySets,
  by: DrawnBy,
  { replace = true }: { readonly replace?: boolean } = {},
): Promise<void> {
  await duringQueriesLock(folder, async () => {
    const parts = queryParts.filter((each) => countQueries(queriesOf(sets, each)) > 0);
    for (const part of replace ? [] : parts)
      if (await pathExists(queryFileOf(folder, part))) throw queriesAlreadyThere(folder, part);
    for (const part of parts)
      await writeWithRules(
        queryFileOf(folder, part),
        queriesToJsonLines(queriesOf(sets, part)),
        rulesOf(part, by),
      );
  });
}

/** Returns the error for queries of a part that would be replaced, and are not meant to be. */
export function queriesAlreadyThere(folder: string, part: QueryPart): FuzzError {
  return new FuzzError('usage', `the data set has ${part} queries already`, {
    path: queryFileOf(folder, part),
    hint: `leave them (--${part} 0), or replace them (--replace)`,
  });
}

function rulesOf(
  part: QueryPart,
  { sizes, every1p = false, maxAnswers = 100, rules, seed }: DrawnBy,
): object {
  const negation = part === 'train' && sizes.trainNegation !== undefined ? sizes.trainNegation : sizes[part];
  const { skipMirrored = false, skipIdleNegation = false } = rules ?? {};
  return { seed, each: sizes[part], negation, every1p, maxAnswers, skipMirrored, skipIdleNegation };
}

/** Queries of a file, and what names the file's content beside every figure that is computed from them. */
export interface QueryFile {
  readonly path: string;
  readonly part: QueryPart;
  /**
   * By which name figures on them are told: that of an imported set, `drawn`, or `betae` for those that came with the BetaE
   * archive. None where nothing is known of them.
   */
  readonly set?: string;
  /** SHA-256 of the file's bytes. */
  readonly sha256: string;
  /** Queries of the 14 structures and after them those of own ones. */
  readonly queries: readonly SampledQueries<string>[];
}

/**
 * Reads a file of queries; easy answers that it does not list are those on the smaller graph of its part.
 *
 * `check` sees each line, and throws to refuse it.
 */
export async function readQueryFile(
  path: string,
  dataset: Dataset,
  part: QueryPart,
  check?: ReadQueriesOptions['check'],
): Promise<QueryFile> {
  const { entityCount, relationCount } = dataset.vocabulary;
  const queries = await readQueries(path, {
    bounds: { entityCount, relationCount },
    smaller: () => (part === 'test' ? dataset.graphs().trainValid : dataset.graphs().train),
    ...(check === undefined ? {} : { check }),
  });
  return { path, part, sha256: await hashFile(path), queries };
}

/**
 * Reads one part of a data set's queries.
 *
 * @throws FuzzError `usage`: it was not sampled yet, `data`: it is damaged.
 */
export async function readQueryFileOf(folder: string, dataset: Dataset, part: QueryPart): Promise<QueryFile> {
  const path = queryFileOf(folder, part);
  try {
    await access(path);
  } catch (cause) {
    if (part !== 'train' && !hasHeldOutFacts(dataset, part))
      throw new FuzzError('usage', `the data set holds out no ${part} facts: there are no queries of them`, {
        path: folder,
        hint: 'Import it with --hold-out 0.1. `fuzzqe evaluate` also takes a file of queries: --queries FILE.',
        cause,
      });
    throw new FuzzError('usage', `the data set has no ${part} queries yet`, {
      path,
      hint: `sample them: fuzzqe data sample ${folder}`,
      cause,
    });
  }
  const file = await readQueryFile(path, dataset, part);
  const set = await ownSetName(folder, dataset, part);
  return set === undefined ? file : { ...file, set };
}

/**
 * By which name figures on a data set's own queries are told: `drawn` where the rules that drew them lie beside them, `betae`
 * where they came with the downloaded archive; none otherwise, as where the rules are those of other queries.
 */
export async function ownSetName(
  folder: string,
  dataset: Dataset,
  part: QueryPart,
): Promise<string | undefined> {
  const rules = rulesFileOf(folder, part);
  if (await pathExists(rules)) {
    const found = schema.recogniseJson(rulesSchema, String(await readWholeFile(rules)));
    if (found === undefined) return undefined;
    const isOfThese =
      found.sha256 === undefined || found.sha256 === (await hashFile(queryFileOf(folder, part)));
    return isOfThese ? 'drawn' : undefined;
  }
  return dataset.origin?.archiveSha256 === undefined ? undefined : 'betae';
}

/** Of the rules, what tells whose they are; those written before there were digests have none. */
const rulesSchema = schema.partOf({ sha256: schema.optional(schema.string) });

function rulesFileOf(folder: string, part: QueryPart): string {
  return join(folder, 'queries', `${part}.rules.json`);
}

/**
 * The queries of the 14 structures in one part; throws as `readQueryFileOf` does.
 *
 * @example
 * const valid = await readQueryPart(folder, dataset, 'valid');
 */
export async function readQueryPart(
  folder: string,
  dataset: Dataset,
  part: QueryPart,
): Promise<SampledQueries[]> {
  const { queries } = await readQueryFileOf(folder, dataset, part);
  return queries.filter((each): each is SampledQueries<StructureName> => isPublished(each.structure));
}

/** All queries of a part, those of own structures after the 14. */
export function queriesOf(sets: QuerySets, part: QueryPart): readonly SampledQueries<string>[] {
  return part === 'train' ? sets.train : [...sets[part], ...sets.own[part]];
}

/** How many queries there are. */
export function countQueries(queries: readonly SampledQueries<string>[]): number {
  return queries.reduce((sum, { count }) => sum + count, 0);
}
