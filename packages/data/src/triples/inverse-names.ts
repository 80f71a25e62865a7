import { FuzzError, type NameEntry } from '@fuzzqe/core';

/** How published files name the inverse of `x`; BetaE writes `+x` and `-x`, or `x` and `x_reverse`. */
const endings = ['_reverse', '_inverse', '_inv', '^-1', '-1'];
const beginnings = ['-', '~', '^', 'inverse_', 'inverse of ', 'inv_', 'reverse_'];

/** Whether the second name is one for the inverse of the first. */
export function isInverseName(forward: string, inverse: string): boolean {
  if (forward.startsWith('+') && inverse === `-${forward.slice(1)}`) return true;
  return (
    endings.some((ending) => inverse === `${forward}${ending}`) ||
    beginnings.some((beginning) => inverse === `${beginning}${forward}`)
  );
}

/**
 * Takes the names of the inverses out of names of relations 0, 1, 2, …, where 2k + 1 is the inverse of 2k.
 *
 * A `+` that marks the others is taken off.
 *
 * @throws FuzzError `data`: an odd number of names, or one that is not that of an inverse.
 */
function forwardNames(names: readonly string[], path: string): string[] {
  if (names.length % 2 === 1) {
    throw new FuzzError('data', `relations: expected an even number, got ${names.length}`, {
      path,
      hint: 'Relation 2k is the k-th relation and 2k+1 its inverse.',
    });
  }
  return names.flatMap((name, id) => {
    if (id % 2 === 1) return [];
    const inverse = names[id + 1]!;
    if (isInverseName(name, inverse)) return [name.replace(/^\+/, '')];
    throw new FuzzError(
      'data',
      `relation ${id + 1}: expected the inverse of ${JSON.stringify(name)}, got ${JSON.stringify(inverse)}`,
      { path, hint: `Relation 2k+1 is the inverse of 2k, as in "+x" and "-x", or "x" and "x_reverse".` },
    );
  });
}

/** The entries of the forward relations; a label that only repeats a marked key goes without the mark, too. */
export function withoutInverses(entries: readonly NameEntry[], path: string): NameEntry[] {
  const keys = forwardNames(
    entries.map(({ key }) => key),
    path,
  );
  return keys.map((key, i) => {
    const entry = entries[2 * i]!;
    return { ...entry, key, label: entry.label === entry.key ? key : entry.label };
  });
}
