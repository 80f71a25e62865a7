import { findGroup, type KnowledgeGraph } from '@fuzzqe/core';
import { highest } from '@fuzzqe/core/ranking';
import { type SimilarHeads, similarHeads } from './similar-heads.ts';

/** Similar heads with what each has recorded. Shapes: [n] each. */
export interface NearestHeads extends SimilarHeads {
  /** The groups of `rows`. */
  readonly groups: Int32Array;
}

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
export function nearestHeads(
  graph: Pick<KnowledgeGraph, 'index' | 'rows'>,
  head: number,
  relation: number,
): NearestHeads {
  const { rows } = graph;
  const similar = similarHeads(graph, head, relation);
  const places = highest(similar.cosines, mostNeighbours);
  const heads = places.map((place) => similar.heads[place]!);
  const cosines = Float32Array.from(places, (place) => similar.cosines[place]!);
  const groups = heads.map((each) => findGroup(rows, each, relation));
  const sizeOf = (group: number): number => rows.groupEnds[group]! - rows.groupStarts[group]!;
  let links = 0;
  for (const group of groups) links += sizeOf(group);
  if (links <= mostTails) return { heads, groups, cosines };
  // As many of the most similar as have no more tails than may be.
  links = 0;
  const order = bySimilarity(cosines);
  const beyond = order.findIndex((i) => {
    links += sizeOf(groups[i]!);
    return links > mostTails;
  });
  const kept = order.subarray(0, beyond).sort();
  return {
    heads: kept.map((i) => heads[i]!),
    groups: kept.map((i) => groups[i]!),
    cosines: Float32Array.from(kept, (i) => cosines[i]!),
  };
}

/** Places, that of the highest cosine first, of equal ones the first. */
export function bySimilarity(cosines: Float32Array): Int32Array {
  return Int32Array.from(cosines.keys()).sort((a, b) => cosines[b]! - cosines[a]! || a - b);
}
