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

/** How alike entities are to one of them by a model. */
export interface ModelLikeness {
  /** s in [0, 1]: how much the model counts beside the facts. */
  readonly share: number;
  /** The cosine of each entity with the one [n], in [−1, 1]; entities from n on came after the model. */
  readonly cosines: Float32Array;
}

const factsAlone: ModelLikeness = { share: 0, cosines: new Float32Array() };

/** How many entities are similar to one at most. */
const mostSimilar = 2 ** 12;

/**
 * The entities that are similar to an entity, which is not one of them itself: by their recorded facts, and by a model where one is given.
 *
 * The degree is `(1 − s) cos + s max(0, cos′)` of the cosine of `similarHeads` and the cosine of the model, and the cosine of the facts alone
 * for entities that came after the model. It is at most 0.999, since two entities with equal facts are still two entities.
 * Shapes: → at most 2¹² entities, those of the highest degrees.
 * @example
 * const { ids, degrees } = similarEntities(engine.facts, engine.vocabulary.findEntity('France'));
 */
export function similarEntities(
  graph: Pick<KnowledgeGraph, 'index' | 'rows'>,
  entity: number,
  { share, cosines: byModel }: ModelLikeness = factsAlone,
): SimilarEntities {
  const { heads, cosines } = similarHeads(graph, entity);
  const all = new Map(Array.from(heads, (head, i) => [head, cosines[i]!]));
  byModel.forEach((cosine, id) => {
    all.set(id, jointLikeness(share, all.get(id) ?? 0, cosine));
  });
  all.delete(entity);
  const best = [...all]
    .filter(([, degree]) => degree > 0)
    .sort(([a, x], [b, y]) => y - x || a - b)
    .slice(0, mostSimilar)
    .sort(([a], [b]) => a - b);
  return {
    ids: Int32Array.from(best, ([id]) => id),
    degrees: Float32Array.from(best, ([, degree]) => Math.min(degree, highestPredicted)),
  };
}

/** How alike two entities are by facts and by a model together: `(1 − s) cos + s max(0, cos′)`. */
export function jointLikeness(share: number, byFacts: number, byModel: number): number {
  return (1 - share) * byFacts + share * Math.max(0, byModel);
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
