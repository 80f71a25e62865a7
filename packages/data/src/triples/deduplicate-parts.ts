import { createIntList } from './int-list.ts';
import { compareTriples, sortDistinct } from './sort-triples.ts';

/** The parts of a dataset as read, in which facts may repeat; flat h, r, t with even r. */
export interface RawParts {
  readonly train: Int32Array;
  readonly valid: Int32Array;
  readonly test: Int32Array;
}

/** The parts with each fact once, and how many were taken out. */
export interface DeduplicatedParts extends RawParts {
  /** Facts that their own part had already stated. */
  readonly duplicates: number;
  /** Facts of a held-out part that an earlier part states: they were no test of anything. */
  readonly repeated: number;
}

/**
 * Removes repeated facts: within a part, from `valid` those that are in `train`, from `test` those that are in either.
 *
 * The facts of each part come sorted by head, relation and tail. The parts given are sorted in place.
 */
export function deduplicateParts(parts: RawParts, entityCount: number): DeduplicatedParts {
  let duplicates = 0;
  const sorted = (triples: Int32Array): Int32Array => {
    const distinct = sortDistinct(triples, entityCount);
    duplicates += (triples.length - distinct.length) / 3;
    return distinct;
  };
  const train = sorted(parts.train);
  const allValid = sorted(parts.valid);
  const allTest = sorted(parts.test);
  const valid = without(allValid, [train]);
  const test = without(allTest, [train, valid]);
  const repeated = (allValid.length - valid.length + allTest.length - test.length) / 3;
  return { train, valid, test, duplicates, repeated };
}

/** The triples that none of the others has; all are sorted. */
function without(triples: Int32Array, others: readonly Int32Array[]): Int32Array {
  const kept = createIntList();
  const places = others.map(() => 0);
  for (let i = 0; i < triples.length; i += 3) {
    const known = others.some((other, k) => {
      while (places[k]! < other.length && compareTriples(other, places[k]!, triples, i) < 0) places[k]! += 3;
      return places[k]! < other.length && compareTriples(other, places[k]!, triples, i) === 0;
    });
    if (!known) for (let k = i; k < i + 3; k++) kept.push(triples[k]!);
  }
  return kept.values();
}
