import type { OracleQuery } from './query.ts';

/** A recorded fact: head, relation of the data (even), tail. */
export type OracleFact = readonly [head: number, relation: number, tail: number];

/** The entities that answer a query by the facts alone, and their inverses; ¬ is the complement in all entities. */
export function exactAnswers(
  entities: number,
  facts: readonly OracleFact[],
  query: OracleQuery,
): ReadonlySet<number> {
  const inner = (operand: OracleQuery): ReadonlySet<number> => exactAnswers(entities, facts, operand);
  const found = new Set<number>();
  if ('entity' in query) {
    found.add(query.entity);
  } else if ('project' in query) {
    const from = inner(query.from);
    for (const [head, relation, tail] of facts) {
      if (relation === query.project && from.has(head)) found.add(tail);
      if (relation + 1 === query.project && from.has(tail)) found.add(head);
    }
  } else if ('not' in query) {
    const excluded = inner(query.not);
    for (let entity = 0; entity < entities; entity += 1) if (!excluded.has(entity)) found.add(entity);
  } else if ('and' in query) {
    const operands = query.and.map(inner);
    for (let entity = 0; entity < entities; entity += 1)
      if (operands.every((operand) => operand.has(entity))) found.add(entity);
  } else {
    for (const operand of query.or) for (const entity of inner(operand)) found.add(entity);
  }
  return found;
}
