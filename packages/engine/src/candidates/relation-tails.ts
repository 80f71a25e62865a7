import { createRandom, type KnowledgeGraph } from '@fuzzqe/core';
import { frequentTails } from '@fuzzqe/evidence';

/** Tails of a relation, whatever the head is. */
export interface RelationTails {
  /** The most frequent ones. */
  readonly frequent: Int32Array;
  /** A sample of all. */
  readonly sample: Int32Array;
  /** How many there are. */
  readonly count: number;
}

/** How many frequent tails of a relation are candidates for each of its links. */
const mostFrequent = 256;

/** How many entities are drawn of the tails of a relation, and of all others, to estimate what all of them add. */
const sampled = 512;

/** The tails of relations, each when it is first asked for. */
export function createRelationTails(facts: KnowledgeGraph): (relation: number) => RelationTails {
  const kept = new Map<number, RelationTails>();
  return (relation) => {
    const known = kept.get(relation);
    if (known !== undefined) return known;
    const { relationOffsets, relationHeads } = facts.index;
    const all = relationHeads.subarray(relationOffsets[relation ^ 1], relationOffsets[(relation ^ 1) + 1]);
    const made = {
      frequent: frequentTails(facts, relation, mostFrequent),
      sample: drawn(all.length, `tails of ${relation}`).map((place) => all[place]!),
      count: all.length,
    };
    kept.set(relation, made);
    return made;
  };
}

/** A sample of all entities of a graph. */
export const sampleOfAll = (entityCount: number): Int32Array => drawn(entityCount, 'all entities');

/** Distinct numbers below another, ascending: all of them where they are few. */
function drawn(below: number, seed: string): Int32Array {
  if (below <= 2 * sampled) return Int32Array.from({ length: below }, (_, i) => i);
  const random = createRandom('candidates', seed);
  const found = new Set<number>();
  while (found.size < sampled) found.add(random.below(below));
  return Int32Array.from(found).sort();
}
