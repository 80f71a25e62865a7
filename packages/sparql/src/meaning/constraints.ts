import type { EntityId } from '@fuzzqe/core';
import { entity, not, type Query } from '@fuzzqe/core/query';
import { boundBy, type Constraint, type Element, mentionedBy, type Reading } from './element.ts';
import { solveGroup } from './solve-group.ts';

/** How a constraint takes part in its group. */
export type Part =
  | 'pattern' // gives its variable values: braces, UNION, VALUES
  | 'filter' // keeps some of the values that there are
  | 'removal'; // removes some of the values that come before it

/** What groups say of a variable that all of them have; more than one are branches of a UNION. */
export function groupsConstraint(
  groups: readonly (readonly Element[])[],
  part: Part,
  at: number,
  reading: Reading,
): Constraint {
  const elements = groups.flat();
  return {
    kind: 'constraint',
    mentions: unite(elements, mentionedBy),
    binds: part === 'pattern' ? unite(elements, boundBy) : new Set(),
    removes: part === 'removal',
    at,
    query(variable, bounded) {
      // A filter is asked about values that there are.
      const given = part === 'filter' || (part === 'pattern' && bounded);
      const queries = groups.map((group) => solveGroup(group, variable, given, at, reading));
      return queries.length === 1 ? queries[0]! : { op: 'or', operands: queries };
    },
  };
}

/** That a variable is one of some entities. */
export function entitiesConstraint(
  variable: string,
  entities: readonly [EntityId, ...EntityId[]],
  part: Part,
  at: number,
): Constraint {
  const queries = entities.map(entity);
  const query: Query = queries.length === 1 ? queries[0]! : { op: 'or', operands: queries };
  const mentions = new Set([variable]);
  const binds = part === 'pattern' ? mentions : new Set<string>();
  return { kind: 'constraint', mentions, binds, removes: part === 'removal', at, query: () => query };
}

/** The opposite of a constraint, which gives no values. */
export function negated(constraint: Constraint): Constraint {
  return {
    ...constraint,
    binds: new Set(),
    query: (variable, bounded) => not(constraint.query(variable, bounded)),
  };
}

function unite(
  elements: readonly Element[],
  of: (element: Element) => Iterable<string>,
): ReadonlySet<string> {
  return new Set(elements.flatMap((element) => [...of(element)]));
}
