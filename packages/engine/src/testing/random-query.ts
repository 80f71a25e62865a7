import { asEntityId, asRelationId, type Random } from '@fuzzqe/core';
import { and, entity, not, or, project, type Query } from '@fuzzqe/core/query';

/** A tree of so many levels over the entities and relations of `memoryBundle`. */
export function randomQuery(random: Random, depth: number): Query {
  const inner = (): Query => randomQuery(random, depth - 1);
  if (depth === 0) return entity(asEntityId(random.below(40)));
  const kind = random.below(6);
  if (kind < 3) return project(asRelationId(random.below(6)), inner());
  if (kind === 3) return and(inner(), inner(), inner());
  return kind === 4 ? or(inner(), inner()) : not(inner());
}
