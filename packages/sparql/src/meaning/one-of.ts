import type { EntityId } from '@fuzzqe/core';
import { type Condition, entity, type Query } from '@fuzzqe/core/query';

/** That a variable is one of some entities. */
export function oneOf(variable: number, entities: readonly EntityId[]): Condition {
  const queries = entities.map(entity);
  const query: Query = queries.length === 1 ? queries[0]! : { op: 'or', operands: queries };
  return { op: 'member', variable, query };
}
