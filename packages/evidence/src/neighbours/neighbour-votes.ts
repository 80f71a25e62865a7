import { type AdjacencyIndex, type EntityId, type KnowledgeGraph, keptBy } from '@fuzzqe/core';
import { bySimilarity, nearestHeads } from './nearest-heads.ts';

/** Shares, which add up to 1, by ascending ids. Shapes: [n] each. */
export interface NeighbourVotes {
  readonly ids: Int32Array;
  readonly shares: Float32Array;
}

/** Zeros between two counts. Shapes: [|E|]. */
const sumsOf = keptBy(({ headOffsets }: AdjacencyIndex) => ({
  numbers: new Float64Array(headOffsets.length - 1),
}));

/**
 * What the recorded links of similar heads say of a link (h, r), the share of each entity in their votes.
 *
 * `c(e) / Σ_e' c(e')`, `c(e) = Σ_{h': (h', r, e) recorded} cos²(h, h')`, over the e that are not recorded for (h, r); h' are the 64 heads of r whose
 * attributes are most similar to those of h, as many of them as have at most 2¹⁴ tails together.
 * Shapes: → at most |E|. Ranges: (0, 1], in single precision.
 * Source: k nearest neighbours, weighted by similarity; on attributes of entities Das et al., "A Simple Approach to Case-Based Reasoning in
 * Knowledge Bases", AKBC 2020.
 */
export function neighbourVotes(
  facts: Pick<KnowledgeGraph, 'index' | 'rows' | 'tails'>,
  head: number,
  relation: number,
): NeighbourVotes {
  const sums = sumsOf(facts.index).numbers;
  const { groupStarts, groupEnds, tails } = facts.rows;
  const { groups, cosines } = nearestHeads(facts, head, relation);
  let links = 0;
  for (const group of groups) links += groupEnds[group]! - groupStarts[group]!;
  const named = new Int32Array(links);
  let count = 0;
  for (let i = 0; i < groups.length; i += 1) {
    const group = groups[i]!;
    const weight = cosines[i]! ** 2;
    for (let edge = groupStarts[group]!; edge < groupEnds[group]!; edge += 1) {
      const tail = tails[edge]!;
      if (sums[tail] === 0) named[count++] = tail;
      sums[tail]! += weight;
    }
  }
  for (const tail of facts.tails(head, relation)) sums[tail] = 0;
  let kept = 0;
  for (let i = 0; i < count; i += 1) if (sums[named[i]!]! > 0) named[kept++] = named[i]!;
  const ids = named.slice(0, kept).sort();
  let total = 0;
  for (let i = 0; i < kept; i += 1) total += sums[ids[i]!]!;
  const shares = new Float32Array(kept);
  for (let i = 0; i < kept; i += 1) {
    shares[i] = sums[ids[i]!]! / total;
    sums[ids[i]!] = 0;
  }
  return { ids, shares };
}

/** Names some heads that are similar to that of a link and have the same tail recorded, the most similar first. */
export type NameNeighbours = (tail: number) => readonly EntityId[];

/** How many of them say enough. */
const mostNamed = 3;

/** Names up to three heads that are similar to the head of a link and have the same tail recorded, the most similar first. */
export function namedNeighbours(
  facts: Pick<KnowledgeGraph, 'index' | 'rows' | 'has'>,
  head: number,
  relation: number,
): NameNeighbours {
  const nearest = nearestHeads(facts, head, relation);
  const heads = Array.from(bySimilarity(nearest.cosines), (i) => nearest.heads[i]!);
  // Heads are entities of the graph.
  return (tail) =>
    heads
      .filter((other) => other !== head && facts.has(other, relation, tail))
      .slice(0, mostNamed) as EntityId[];
}
