import type { Manifest } from '@fuzzqe/bundle';
import { FuzzError } from '@fuzzqe/core';
import type { IndexMethod } from '../address/index-address.ts';

/** What an index is of: it stands next to its rows, so that no other bundle is answered from it. */
export interface IndexContent {
  /** The SHA-256 of the bundle's manifest, in hexadecimal digits. */
  readonly bundle: string;
  /** The bundle's name, for people. */
  readonly name: string;
  /** The stored form of the model that the rows were read from. */
  readonly profile: string;
  readonly metric: 'innerProduct';
  /** d */
  readonly dimension: number;
  /** |E| */
  readonly rows: number;
}

/** What a database holds of an index. */
export interface StoredIndex extends IndexContent {
  /** How many rows were written, the first ones of the bundle. */
  readonly written: number;
  /** Whether all are there, and the structure that finds them is built. */
  readonly complete: boolean;
  /** How its rows are found, where that was settled when they were pushed; undefined where each search settles it. */
  readonly method?: IndexMethod;
}

/** What the index of a bundle has to be of. */
export function contentOf({ sha256, name, model }: Manifest, profile: string): IndexContent {
  const { dimension, entities } = model;
  return { bundle: sha256, name, profile, metric: 'innerProduct', dimension, rows: entities };
}

/** The table of a bundle's index where the address names none: `fuzzqe_countries_0a1b2c3d`. */
export function tableOf({ name, bundle }: IndexContent): string {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_');
  return `fuzzqe_${plain.slice(0, 40)}_${bundle.slice(0, 8)}`;
}

/** The first digits of a digest, by which people tell bundles apart. */
export const shortDigest = (digest: string): string => digest.slice(0, 12);

/**
 * Refuses what was stored of another bundle, or in another form. Profiles may differ: rows of every profile stand for the same entities,
 * and what is found is scored by the bundle.
 *
 * @throws FuzzError `bundle`: another dimension, metric, number of rows or digest.
 */
export function checkContent(stored: IndexContent, wanted: IndexContent, path: string): void {
  const fields = ['dimension', 'metric', 'rows', 'bundle'] as const;
  const different = fields.find((field) => stored[field] !== wanted[field]);
  if (different === undefined) return;
  const what = { dimension: 'the dimension', metric: 'the metric', rows: 'rows:', bundle: 'the bundle' }[
    different
  ];
  const isAlike = shortDigest(wanted.bundle) === shortDigest(stored.bundle);
  const show = ({ name, [different]: value }: IndexContent): string =>
    different === 'bundle' ? `${name} (${isAlike ? value : shortDigest(`${value}`)})` : `${value}`;
  throw new FuzzError(
    'bundle',
    `the index is of another bundle: expected ${what} ${show(wanted)}, got ${show(stored)}`,
    {
      path,
      hint: 'Name the bundle that was pushed there, another ?table=, or replace it: fuzzqe index push --replace.',
    },
  );
}

/**
 * Refuses an index that is not whole.
 *
 * @throws FuzzError `bundle`.
 */
export function checkComplete({ written, rows, complete }: StoredIndex, path: string): void {
  if (complete && written === rows) return;
  throw new FuzzError(
    'bundle',
    `the index is not complete: expected ${rows} rows, got ${written}${complete ? '' : ', not finished'}`,
    {
      path,
      hint:
        written > rows
          ? 'Two pushes wrote there at once: push it again with --replace.'
          : 'Run the same fuzzqe index push again: it goes on where it was stopped.',
    },
  );
}

/**
 * Refuses an index whose rows are found in another way than is asked for.
 *
 * @throws FuzzError `bundle`.
 */
export function checkMethod(
  { method: stored }: Pick<StoredIndex, 'method'>,
  { method: wanted }: { readonly method: IndexMethod },
  path: string,
): void {
  if (stored === undefined || stored === wanted) return;
  throw new FuzzError('bundle', `the index was pushed with method=${stored}, expected method=${wanted}`, {
    path,
    hint: `Give ?method=${stored}, or push it again with --replace.`,
  });
}
