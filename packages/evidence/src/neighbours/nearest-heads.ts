import type { AdjacencyIndex } from '@fuzzqe/core';
import { highest } from '@fuzzqe/core/ranking';
import { type SimilarHeads, similarHeads } from './similar-heads.ts';

/** How many of the most similar heads of a relation are asked. */
const mostNeighbours = 64;

/** How many recorded links they may have together: a country has thousands of inhabitants. */
const mostTails = 2 ** 14;

/**
 * The heads of a relation that are most similar to an entity by `similarHeads`: 64, of equally similar ones those of lower ids, of these as many of
 * the most similar as have at most 2¹⁴ tails together.
 *
 * The entity is one of them where it is a head of the relation.
 */
export function nearestHeads(index: AdjacencyIndex, head: number, relation: number): SimilarHeads {
  const { groupOffsets } = index;
  const sizeOf = (group: number): number => groupOffsets[group + 1]! - groupOffsets[group]!;
  const similar = similarHeads(index, head, relation);
  const places = highest(similar.cosines, mostNeighbours);
  const groups = places.map((place) => similar.groups[place]!);
  const cosines = new Float32Array(places.length);
  let links = 0;
  for (let i = 0; i < places.length; i += 1) {
    cosines[i] = similar.cosines[places[i]!]!;
    links += sizeOf(groups[i]!);
  }
  if (links <= mostTails) return { groups, cosines };
  // As many of the most similar as have no more tails than may be.
  links = 0;
  const order = bySimilarity(cosines);
  const beyond = order.findIndex((i) => {
    links += sizeOf(groups[i]!);
    return links > mostTails;
  });
  const kept = order.subarray(0, beyond).sort();
  return { groups: kept.map((i) => groups[i]!), cosines: Float32Array.from(kept, (i) => cosines[i]!) };
}

/** Places, that of the highest cosine first, of equal ones the first. */
export function bySimilarity(cosines: Float32Array): Int32Array {
  return Int32Array.from(cosines.keys()).sort((a, b) => cosines[b]! - cosines[a]! || a - b);
}
