import type { EntityId } from '../kg/ids.ts';
import { nodesOf } from './nodes.ts';
import type { MemberCondition, Pattern } from './pattern.ts';
import { formatValueTest, type ValueTest } from './value-test.ts';

/** The entities that are similar to an entity, by what is recorded of both. */
export interface Likeness {
  readonly op: 'like';
  readonly entity: EntityId;
}

/** The meaning of a set that no query gives: the entities with a literal that passes a test, or the entities similar to an entity. */
export type SetMeaning = ValueTest | Likeness;

/** The name of a set in plans: equal meanings have equal names. */
export function nameOfSet(means: SetMeaning): string {
  return means.op === 'like' ? `like(#${means.entity})` : `where(${formatValueTest(means)})`;
}

/** The condition that a variable is in such a set. */
export function memberOfSet(variable: number, means: SetMeaning): MemberCondition {
  return { op: 'member', variable, query: { op: 'given', name: nameOfSet(means) }, means };
}

/** The meanings of the sets that a pattern names, by their names. */
export function meaningsOf({ where }: Pick<Pattern, 'where'>): ReadonlyMap<string, SetMeaning> {
  const found = new Map<string, SetMeaning>();
  for (const node of nodesOf(where))
    if (node.op === 'member' && node.means !== undefined) found.set(nameOfSet(node.means), node.means);
  return found;
}
