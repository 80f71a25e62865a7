import { FuzzError } from '@fuzzqe/core';
import { nodesOf, type Query } from '@fuzzqe/core/query';

/**
 * Whether the entities of high degree follow from something: no negation stands alone.
 *
 * A conjunction is bounded by one bounded operand, a disjunction by all of its operands, and ¬ exchanges them.
 */
export function isBounded(query: Query, isNegated = false): boolean {
  if (query.op === 'entity' || query.op === 'project') return !isNegated;
  if (query.op === 'not') return isBounded(query.operand, !isNegated);
  const isOneEnough = (query.op === 'and') !== isNegated;
  const operands = query.operands.map((operand) => isBounded(operand, isNegated));
  return isOneEnough ? operands.includes(true) : !operands.includes(false);
}

/**
 * Refuses a query of which almost all entities are answers, or such a part of it that is projected.
 *
 * @throws FuzzError `query`.
 */
export function checkBounded(query: Query, path = '$.query'): void {
  if (!isBounded(query)) throw unbounded('a negation by itself', path);
  for (const node of nodesOf(query))
    if (node.op === 'project' && !isBounded(node.from)) throw unbounded('a projection of a negation', path);
}

function unbounded(what: string, path: string): FuzzError {
  return new FuzzError('query', `expected a query whose answers an index can find, got ${what}`, {
    path,
    hint: 'Join it with what the answers have: and(project(…), not(…)). Without --index, every entity is compared.',
  });
}
