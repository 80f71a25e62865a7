import { FuzzError } from '@fuzzqe/core';
import type { IndexMethod } from '../address/index-address.ts';
import { type IndexContent, type StoredIndex, shortDigest } from './index-content.ts';

/** Columns of the register, which says what every index is of: one row for each, found by its `name`. */
export const registerColumns = {
  text: ['bundle', 'bundle_name', 'profile', 'metric', 'method'],
  number: ['dimension', 'row_count', 'complete'],
} as const;

/** What is noted of an index. */
export interface RegisterNote {
  readonly table: string;
  readonly method: IndexMethod;
  readonly complete: boolean;
}

/** A row of the register. */
export function registerRow(
  content: IndexContent,
  { table, method, complete }: RegisterNote,
): Readonly<Record<string, string | number>> {
  const { bundle, name, profile, metric, dimension, rows } = content;
  const texts = { name: table, bundle, bundle_name: name, profile, metric, method };
  return { ...texts, dimension, row_count: rows, complete: complete ? 1 : 0 };
}

/**
 * What a row of the register says; without what is known of the rows that were written. Where searches may look at every row whatever
 * was built, `settled` is `exact`: only what was pushed without a graph can be searched in one way alone.
 */
export function storedOf(
  row: Readonly<Record<string, unknown>>,
  settled: 'exact' | 'always' = 'exact',
): Omit<StoredIndex, 'written'> {
  const method = row['method'] === 'exact' ? 'exact' : 'approximate';
  return {
    bundle: String(row['bundle']),
    name: String(row['bundle_name']),
    profile: String(row['profile']),
    // Another metric is refused by anyone who compares it.
    metric: row['metric'] as 'innerProduct',
    dimension: Number(row['dimension']),
    rows: Number(row['row_count']),
    complete: Number(row['complete']) === 1,
    ...(method === 'exact' || settled === 'always' ? { method } : {}),
  };
}

/** Says that a place holds what no push made: `what` is a table or a collection. */
export function foreignPlace(what: 'table' | 'collection', name: string, got: string): FuzzError {
  return new FuzzError('storage', `expected an index of fuzzqe or no ${what} ${name}, got ${got}`, {
    path: name,
    hint: 'Give another ?table= or another database; nothing was changed.',
  });
}

/**
 * Refuses a table with more or fewer rows than were written.
 *
 * @throws FuzzError `storage`.
 */
export function checkRowCount(count: number, expected: number, name: string): void {
  if (count === expected) return;
  throw new FuzzError('storage', `expected ${expected} rows, got ${count}`, {
    path: name,
    hint: anotherPush,
  });
}

const anotherPush =
  'Another push wrote there at the same time, or rows were removed: push again with --replace, one push at a time.';

/**
 * Refuses rows, given in parts, that are not those of the ids 0 to count − 1, once each.
 *
 * @throws FuzzError `storage`.
 */
export function checkIdsOnce(parts: readonly Int32Array[], count: number, name: string): void {
  checkRowCount(
    parts.reduce((sum, { length }) => sum + length, 0),
    count,
    name,
  );
  const seen = new Uint8Array(count);
  for (const ids of parts)
    for (const id of ids) {
      if (seen[id] === 0) seen[id] = 1;
      else
        throw new FuzzError(
          'storage',
          `expected each of the rows 0 to ${count - 1} once, got ${seen[id] === 1 ? `row ${id} twice` : `row ${id}`}`,
          { path: name, hint: anotherPush },
        );
    }
}

/**
 * Refuses to write where another push has begun the index of something else meanwhile.
 *
 * @throws FuzzError `storage`.
 */
export function checkOwner(
  stored: Pick<IndexContent, 'bundle' | 'profile'> | undefined,
  { bundle, profile }: IndexContent,
  name: string,
): void {
  if (stored?.bundle === bundle && stored.profile === profile) return;
  const show = (of: Pick<IndexContent, 'bundle' | 'profile'>): string =>
    `bundle ${shortDigest(of.bundle)} with profile ${of.profile}`;
  throw new FuzzError(
    'storage',
    `expected the index of ${show({ bundle, profile })}, got ${stored === undefined ? 'none' : `that of ${show(stored)}`}`,
    { path: name, hint: anotherPush },
  );
}
