import type { AdjacencyIndex } from '../kg/adjacency.ts';
import { highest } from '../ranking/highest.ts';
import { similarities } from './similarities.ts';

/** How many of the most similar heads of a relation are asked. */
const mostNeighbours = 64;

/** How many recorded links they may have together: a country has thousands of inhabitants. */
const mostTails = 2 ** 14;

/** Heads of a relation that are similar to an entity, in order of heads. */
export interface NearestHeads {
  /** What each has recorded, as a group of the index. Shapes: [n], at most 64. */
  readonly groups: Int32Array;
  /** [n] */
  readonly cosines: Float32Array;
}

/**
 * The heads of a relation that are most similar to an entity by `similarities`: 64, of equally similar ones those of lower ids, of these as many of
 * the most similar as have at most 2¹⁴ tails together.
 *
 * The entity may be one of them.
 */
export function nearestHeads(index: AdjacencyIndex, head: number, relation: number): NearestHeads {
  const { relationOffsets, relationHeads, relationGroups, groupOffsets } = index;
  const [first, end] = [relationOffsets[relation]!, relationOffsets[relation + 1]!];
  const all = similarities(index, head, relationHeads.subarray(first, end));
  const places = highest(all, mostNeighbours);
  const groups = places.map((place) => relationGroups[first + place]!);
  const cosines = new Float32Array(places.length);
  let links = 0;
  groups.forEach((group, i) => {
    cosines[i] = all[places[i]!]!;
    links += groupOffsets[group + 1]! - groupOffsets[group]!;
  });
  if (links <= mostTails) return { groups, cosines };
  // As many of the most similar as have no more tails than may be.
  links = 0;
  const order = bySimilarity(cosines);
  const beyond = order.findIndex((i) => {
    links += groupOffsets[groups[i]! + 1]! - groupOffsets[groups[i]!]!;
    return links > mostTails;
  });
  const kept = order.subarray(0, beyond).sort();
  return { groups: kept.map((i) => groups[i]!), cosines: Float32Array.from(kept, (i) => cosines[i]!) };
}

/** Places, that of the highest cosine first, of equal ones the first. */
export function bySimilarity(cosines: Float32Array): Int32Array {
  return Int32Array.from(cosines.keys()).sort((a, b) => cosines[b]! - cosines[a]! || a - b);
}
