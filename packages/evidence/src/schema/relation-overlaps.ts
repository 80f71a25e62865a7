import type { KnowledgeGraph } from '@fuzzqe/core';
import { headsOf, tailsOf } from './attribute-counter.ts';
import { mostly } from './finding.ts';

/** Another relation that has most facts of a relation r, too. */
export interface RelationOverlap {
  /** The other relation q: of an even id the facts run the same way, of an odd id the other way round. */
  readonly relation: number;
  /** How many facts (h, r, t) have (h, q, t) recorded as well. */
  readonly hits: number;
  /** How many facts r has. */
  readonly of: number;
  /** How many facts q has. */
  readonly ofOther: number;
  /** `equal`: hits are at least 0.8 of q's facts, too. `contained`: q has more facts than r. */
  readonly kind: 'equal' | 'contained';
}

/** Finds the relations that have at least 0.8 of a relation's facts, too, its own inverse left out: at most 10. */
export type OverlapFinder = (relation: number) => RelationOverlap[];

const mostOverlaps = 10;

/**
 * A finder of overlaps, whose scratch memory serves all its calls.
 *
 * Order of a result: the most hits first, then the lower id. Time of a call: the relations of the heads of r,
 * and for the relations that share enough heads with r the tails of these heads. Memory: 12 |R| bytes.
 */
export function createOverlapFinder({ index, relationCount }: KnowledgeGraph): OverlapFinder {
  const { headOffsets, groupRelations, groupOffsets } = index;
  const factsOf = new Int32Array(relationCount);
  for (let group = 0; group < groupRelations.length; group += 1)
    factsOf[groupRelations[group]!]! += groupOffsets[group + 1]! - groupOffsets[group]!;
  /** Of each relation: facts of r whose head it leaves, then facts of r that it has, too. */
  const [reached, shared] = [new Int32Array(relationCount), new Int32Array(relationCount)];
  return (relation) => {
    const of = factsOf[relation]!;
    const least = mostly * of;
    const heads = headsOf(index, relation);
    const seen: number[] = [];
    for (const head of heads) {
      const count = tailsOf(index, head, relation).length;
      for (let group = headOffsets[head]!; group < headOffsets[head + 1]!; group += 1) {
        const other = groupRelations[group]!;
        if (other === relation || other === (relation ^ 1) || factsOf[other]! < least) continue;
        if (reached[other] === 0) seen.push(other);
        reached[other]! += count;
      }
    }
    const candidates = seen.filter((other) => reached[other]! >= least);
    for (const other of seen) reached[other] = 0;
    if (candidates.length === 0) return [];
    for (const other of candidates)
      for (const head of heads)
        shared[other]! += countShared(tailsOf(index, head, relation), tailsOf(index, head, other));
    const found = candidates
      .filter((other) => shared[other]! >= least)
      .sort((a, b) => shared[b]! - shared[a]! || a - b)
      .slice(0, mostOverlaps)
      .map((other): RelationOverlap => {
        const [hits, ofOther] = [shared[other]!, factsOf[other]!];
        return {
          relation: other,
          hits,
          of,
          ofOther,
          kind: hits >= mostly * ofOther ? 'equal' : 'contained',
        };
      });
    for (const other of candidates) shared[other] = 0;
    return found;
  };
}

/** How many numbers two ascending arrays have in common. */
export function countShared(some: Int32Array, others: Int32Array): number {
  let [i, j, count] = [0, 0, 0];
  while (i < some.length && j < others.length) {
    const difference = some[i]! - others[j]!;
    if (difference === 0) count += 1;
    if (difference <= 0) i += 1;
    if (difference >= 0) j += 1;
  }
  return count;
}
