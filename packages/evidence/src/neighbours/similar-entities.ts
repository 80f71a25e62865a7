import { asEntityId, type EntityId, type KnowledgeGraph, type RelationId } from '@fuzzqe/core';
import { highestPredicted } from '@fuzzqe/core/sets';
import { attributeShares, mostAttributes, similarHeads } from './similar-heads.ts';

/** A fuzzy set of entities. Shapes: [n] each. */
export interface SimilarEntities {
  /** Ascending. */
  readonly ids: Int32Array;
  /** In (0, 0.999]. */
  readonly degrees: Float32Array;
}

/**
 * The entities that have recorded facts in common with an entity, which is not one of them itself.
 *
 * The degree is the cosine of `similarHeads`, at most 0.999, since two entities with equal facts are still two entities.
 * Shapes: → at most 2¹² entities.
 * @example
 * const { ids, degrees } = similarEntities(engine.facts, engine.vocabulary.findEntity('France'));
 */
export function similarEntities(
  graph: Pick<KnowledgeGraph, 'index' | 'rows'>,
  entity: number,
): SimilarEntities {
  const { heads, cosines } = similarHeads(graph, entity);
  const isOther = (i: number): boolean => heads[i] !== entity;
  return {
    ids: heads.filter((head) => head !== entity),
    degrees: cosines.filter((_, i) => isOther(i)).map((cosine) => Math.min(cosine, highestPredicted)),
  };
}

/** A fact that two entities have in common: both lead along a relation to the same entity. */
export interface SharedFact {
  readonly relation: RelationId;
  readonly entity: EntityId;
  /** What the fact adds to the cosine of the two, in [0, 1]. */
  readonly share: number;
}

/**
 * The facts that make two entities similar, the facts that add most first; facts that add nothing are left out.
 *
 * The shares add up to the degree of `similarEntities`, and to more where common facts were not looked at there.
 * Shapes: → at most `limit`.
 */
export function sharedFacts(
  graph: Pick<KnowledgeGraph, 'index' | 'rows' | 'relationsOf' | 'tails' | 'has'>,
  entity: number,
  other: number,
  limit: number,
): SharedFact[] {
  const shareOf = attributeShares(graph, entity, other);
  const found: SharedFact[] = [];
  let seen = 0;
  for (const relation of graph.relationsOf(entity))
    for (const tail of graph.tails(entity, relation)) {
      if (++seen > mostAttributes) break;
      if (!graph.has(other, relation, tail)) continue;
      const share = shareOf(relation, tail);
      // Relations of a graph are relations.
      if (share > 0) found.push({ relation: relation as RelationId, entity: asEntityId(tail), share });
    }
  return found.sort((a, b) => b.share - a.share).slice(0, limit);
}
