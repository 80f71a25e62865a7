import { createKnowledgeGraph, type Vocabulary } from '@fuzzqe/core';

/** The parts of a dataset as read, in which facts may repeat. */
export interface RawParts {
  readonly train: Int32Array;
  readonly valid: Int32Array;
  readonly test: Int32Array;
}

/** The parts with each fact once, and how many were taken out. */
export interface DistinctParts extends RawParts {
  /** Facts that their own part had already stated. */
  readonly duplicates: number;
  /** Facts of a held-out part that an earlier part states: they were no test of anything. */
  readonly repeated: number;
}

/**
 * Takes repeated facts out: within a part, and out of `valid` what is in `train`, out of `test` what is in either.
 *
 * The facts of each part come sorted by head, relation and tail.
 */
export function distinctParts(parts: RawParts, vocabulary: Vocabulary): DistinctParts {
  const { entityCount, relationCount } = vocabulary;
  let duplicates = 0;
  const sorted = (triples: Int32Array): Int32Array => {
    if (triples.length === 0) return triples;
    const graph = createKnowledgeGraph({ entityCount, relationCount, triples });
    duplicates += graph.duplicateCount;
    return graph.forwardTriples();
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
  const kept: number[] = [];
  const places = others.map(() => 0);
  for (let i = 0; i < triples.length; i += 3) {
    const known = others.some((other, k) => {
      while (places[k]! < other.length && compare(other, places[k]!, triples, i) < 0) places[k]! += 3;
      return places[k]! < other.length && compare(other, places[k]!, triples, i) === 0;
    });
    if (!known) kept.push(triples[i]!, triples[i + 1]!, triples[i + 2]!);
  }
  return Int32Array.from(kept);
}

function compare(left: Int32Array, i: number, right: Int32Array, j: number): number {
  return left[i]! - right[j]! || left[i + 1]! - right[j + 1]! || left[i + 2]! - right[j + 2]!;
}
