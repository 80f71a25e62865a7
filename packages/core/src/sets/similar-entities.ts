import type { AdjacencyIndex } from '../kg/adjacency.ts';
import { inverseOf, type RelationId } from '../kg/ids.ts';
import { findGroup } from '../kg/knowledge-graph.ts';

/** How similar entities are to one of them. */
export interface SimilarEntities {
  /** The cosine with the attributes of an entity, of one that shares some; 0 of any other. In [0, 1], in single precision. */
  cosine(entity: number): number;
}

/** Calls `visit` with how similar entities are to one of them, as long as it runs. */
export type VisitSimilar = <T>(entity: number, visit: (similar: SimilarEntities) => T) => T;

/** How many pairs of an attribute and an entity that has it are looked at for one entity: what thousands share says little. */
const mostPairs = 2 ** 12;

/** How many attributes of an entity are looked at: it may have millions. */
const mostAttributes = 2 ** 12;

const measured = new WeakMap<AdjacencyIndex, VisitSimilar>();

/**
 * How similar entities are by their recorded facts: cosines of attribute vectors.
 *
 * An attribute of h is a fact without it, (r, t) of (h, r, t), facts backwards included. It weighs `ln(|E| / n)`, n entities having it, so
 * that `cos(h, h') = Σ ln²(|E| / n) / (‖h‖ ‖h'‖)` over the attributes that both have. Of h the first 2¹² by relation and tail are
 * looked at, of these the rarest, up to 2¹² pairs of an attribute and an entity that has it.
 *
 * Time: the pairs of an entity; once for each graph, all facts. Memory: 12 bytes an entity.
 * Source: the inverse document frequency of Spärck Jones (1972), on attributes as of Das et al., "A Simple Approach to Case-Based Reasoning
 * in Knowledge Bases", AKBC 2020.
 */
export function similarEntities(index: AdjacencyIndex): VisitSimilar {
  const known = measured.get(index);
  if (known !== undefined) return known;
  const visit = measure(index);
  measured.set(index, visit);
  return visit;
}

function measure(index: AdjacencyIndex): VisitSimilar {
  const { headOffsets, groupRelations, groupOffsets, tails } = index;
  const entityCount = headOffsets.length - 1;
  const weightOf = (entities: number): number => Math.fround(Math.log(entityCount / entities) ** 2);
  // Who has the attribute (r, t) are the tails of the group (t, r⁻¹).
  const squares = new Float64Array(entityCount);
  for (let group = 0; group < groupRelations.length; group += 1) {
    const [first, end] = [groupOffsets[group]!, groupOffsets[group + 1]!];
    const weight = weightOf(end - first);
    for (let edge = first; edge < end; edge += 1) squares[tails[edge]!]! += weight;
  }
  const lengths = Float32Array.from(squares);
  const products = new Float64Array(entityCount);
  return (entity, visit) => {
    const attributes = rarestAttributes(index, entity);
    for (const group of attributes) {
      const [first, end] = [groupOffsets[group]!, groupOffsets[group + 1]!];
      const weight = weightOf(end - first);
      for (let edge = first; edge < end; edge += 1) products[tails[edge]!]! += weight;
    }
    const length = lengths[entity]!;
    try {
      return visit({
        cosine(other) {
          const product = products[other]!;
          return product === 0 ? 0 : Math.fround(product / Math.sqrt(length * lengths[other]!));
        },
      });
    } finally {
      for (const group of attributes)
        for (let edge = groupOffsets[group]!; edge < groupOffsets[group + 1]!; edge += 1)
          products[tails[edge]!] = 0;
    }
  };
}

/** The groups (t, r⁻¹) of the attributes (r, t) of an entity, the smallest first, as many as are looked at. */
function rarestAttributes(index: AdjacencyIndex, entity: number): readonly number[] {
  const { headOffsets, groupRelations, groupOffsets, tails } = index;
  const groups: number[] = [];
  for (let group = headOffsets[entity]!; group < headOffsets[entity + 1]!; group += 1) {
    // Relations of an index are relations of the graph.
    const inverse = inverseOf(groupRelations[group]! as RelationId);
    for (let edge = groupOffsets[group]!; edge < groupOffsets[group + 1]!; edge += 1)
      if (groups.length < mostAttributes) groups.push(findGroup(index, tails[edge]!, inverse));
  }
  const sizeOf = (group: number): number => groupOffsets[group + 1]! - groupOffsets[group]!;
  groups.sort((a, b) => sizeOf(a) - sizeOf(b) || a - b);
  let pairs = 0;
  const end = groups.findIndex((group) => {
    pairs += sizeOf(group);
    return pairs > mostPairs;
  });
  return end < 0 ? groups : groups.slice(0, end);
}
