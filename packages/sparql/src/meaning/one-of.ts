import type { EntityId } from '@fuzzqe/core';
import { type Condition, entity, joined } from '@fuzzqe/core/query';

/** That a variable is one of some entities. */
export function oneOf(variable: number, entities: readonly EntityId[]): Condition {
  return { op: 'member', variable, query: joined('or', entities.map(entity)) };
}
