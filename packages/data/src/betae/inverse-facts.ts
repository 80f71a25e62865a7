import { FuzzError } from '@fuzzqe/core';
import { forEachLine } from '../files/lines.ts';
import { compareTriples, foldInverses, sortDistinct } from '../triples/sort-triples.ts';

/** The facts of a file that may state each of them along its inverse, too. */
export interface MirroredFacts {
  /** Flat h, r, t with even r, each once, sorted. */
  readonly triples: Int32Array;
  readonly duplicates: number;
  readonly inverses: 'added' | 'given';
}

/**
 * Removes inverse facts from triples in which relation 2k+1 is the inverse of 2k.
 *
 * Either no fact stands along an odd relation, or each stands along both: a file that states only some is one whose
 * relations are not paired so, and would be misread without a word.
 *
 * @throws FuzzError `data` with `path:line`: facts without their mirror, with their number.
 */
export async function removeInverseFacts(
  triples: Int32Array,
  entityCount: number,
  path: string,
): Promise<MirroredFacts> {
  const [forwards, backwards] = byDirection(triples);
  const facts = sortDistinct(forwards, entityCount);
  const duplicates = (forwards.length - facts.length) / 3;
  if (backwards.length === 0) return { triples: facts, duplicates, inverses: 'added' };
  const mirrored = sortDistinct(foldInverses(backwards), entityCount);
  const alone = differences(facts, mirrored);
  const [first] = alone.first;
  if (first === undefined) {
    return {
      triples: facts,
      duplicates: duplicates + (backwards.length - mirrored.length) / 3,
      inverses: 'given',
    };
  }
  const [head, relation, tail] = first;
  const line = await findLine(path, [`${head}\t${relation}\t${tail}`, `${tail}\t${relation + 1}\t${head}`]);
  throw new FuzzError(
    'data',
    `inverses: expected each fact along relation 2k and along 2k+1, got ${alone.count} along one of them only`,
    {
      path: `${path}:${line}`,
      hint: 'If odd relations are no inverses here, import the file with --format tsv and files of names.',
    },
  );
}

/** Copies of the triples with even and with odd relations. */
function byDirection(triples: Int32Array): readonly [forwards: Int32Array, backwards: Int32Array] {
  let odd = 0;
  for (let i = 1; i < triples.length; i += 3) odd += triples[i]! & 1;
  const parts = [new Int32Array(triples.length - 3 * odd), new Int32Array(3 * odd)] as const;
  const next = [0, 0];
  for (let i = 0; i < triples.length; i += 3) {
    const side = triples[i + 1]! & 1;
    for (let k = 0; k < 3; k++) parts[side === 0 ? 0 : 1][next[side]!++] = triples[i + k]!;
  }
  return parts;
}

/** How many triples are in one of the sorted lists only, and the first of them. */
function differences(
  left: Int32Array,
  right: Int32Array,
): { readonly count: number; readonly first: (readonly [number, number, number])[] } {
  const first: (readonly [number, number, number])[] = [];
  let count = 0;
  const note = (list: Int32Array, at: number): void => {
    if (count++ === 0) first.push([list[at]!, list[at + 1]!, list[at + 2]!]);
  };
  let [i, j] = [0, 0];
  while (i < left.length || j < right.length) {
    const order = i >= left.length ? 1 : j >= right.length ? -1 : compareTriples(left, i, right, j);
    if (order < 0) note(left, i);
    if (order > 0) note(right, j);
    if (order <= 0) i += 3;
    if (order >= 0) j += 3;
  }
  return { count, first };
}

async function findLine(path: string, wanted: readonly string[]): Promise<number> {
  let found = 0;
  await forEachLine(path, (line, number) => {
    if (found === 0 && wanted.includes(line)) found = number;
  });
  return found;
}
