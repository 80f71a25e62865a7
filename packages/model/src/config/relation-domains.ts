import type { KnowledgeGraph } from '@fuzzqe/core';
import type { ModelConfig } from './config.ts';

/** The recorded heads of every relation, of which a centroid (3) is: constants of a model, not trained. */
export interface RelationDomains {
  /** [|R|, m] entities. */
  readonly heads: Int32Array;
  /** [|R|, m] n_hr: how many tails each has along the relation. */
  readonly tails: Float32Array;
}

/** Whether projections of vectors that are no anchor's start from a centroid of the relation's heads. */
export const hasCentroids = ({ projectionInput }: Pick<ModelConfig, 'projectionInput'>): boolean =>
  projectionInput === 'domain';

/** How many heads of a relation a centroid is of, at most. */
export const domainHeads = 256;

/** The shape of the tables of domains: [|R|, min(256, |E|)]. */
export function domainShape({
  relations,
  entities,
}: Pick<ModelConfig, 'relations' | 'entities'>): readonly [relations: number, heads: number] {
  return [relations, Math.min(domainHeads, entities)];
}

/**
 * The heads with most tails of every relation, most first, of equal ones the lower id.
 *
 * A relation of fewer heads repeats its first with no tails, which has no weight. One without facts has the entities of most edges, with a
 * tail each. Shapes: as in `RelationDomains`.
 */
export function relationDomains(graph: KnowledgeGraph): RelationDomains {
  const { entityCount, relationCount, index } = graph;
  const [, width] = domainShape({ relations: relationCount, entities: entityCount });
  const heads = new Int32Array(relationCount * width);
  const tails = new Float32Array(relationCount * width);
  const busiest = mostFirst(
    Int32Array.from({ length: entityCount }, (_, e) => e),
    (e) => graph.degree(e),
    width,
  );
  for (let r = 0; r < relationCount; r += 1) {
    const counts = new Map<number, number>();
    for (let at = index.relationOffsets[r]!; at < index.relationOffsets[r + 1]!; at += 1) {
      const group = index.relationGroups[at]!;
      counts.set(index.relationHeads[at]!, index.groupOffsets[group + 1]! - index.groupOffsets[group]!);
    }
    const countOf = (head: number): number => counts.get(head)!;
    const chosen = counts.size === 0 ? busiest : mostFirst(Int32Array.from(counts.keys()), countOf, width);
    heads.fill(chosen[0]!, r * width, (r + 1) * width).set(chosen, r * width);
    tails.set(counts.size === 0 ? chosen.map(() => 1) : chosen.map(countOf), r * width);
  }
  return { heads, tails };
}

/** The ids with the largest counts, of equal ones the lower id. */
function mostFirst(ids: Int32Array, countOf: (id: number) => number, most: number): Int32Array {
  return ids.sort((a, b) => countOf(b) - countOf(a) || a - b).subarray(0, most);
}
