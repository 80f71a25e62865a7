import type { EntityId, RelationId } from '../kg/ids.ts';
import { nodesOf } from './nodes.ts';
import type { EntityQuery, Query, Repeat, SetQuery } from './query.ts';
import type { SetMeaning } from './set-meaning.ts';

/** A place of a condition: a variable, by its number, or an entity. */
export type Term = { readonly variable: number } | { readonly entity: EntityId };

/** r(x, y): the relation leads from one term to the other, or r+(x, y): by several steps. */
export interface LinkCondition {
  readonly op: 'link';
  readonly relation: RelationId;
  readonly from: Term;
  readonly to: Term;
  /** How often the relation is followed. Default: once. */
  readonly repeat?: Repeat | undefined;
}

/** x = y: both terms are the same entity. */
export interface SameCondition {
  readonly op: 'same';
  readonly left: Term;
  readonly right: Term;
}

/** x ∈ q: the variable answers a query. */
export interface MemberCondition {
  readonly op: 'member';
  readonly variable: number;
  readonly query: SetQuery;
  /** What the set is that the query names; undefined where the query says it: `memberOfSet`. */
  readonly means?: SetMeaning | undefined;
}

/** What an assignment of entities to variables has to fulfil. */
export type Condition =
  | LinkCondition
  | SameCondition
  | MemberCondition
  | { readonly op: 'and' | 'or'; readonly operands: readonly Condition[] }
  | { readonly op: 'not'; readonly operand: Condition };

/**
 * A question about variables.
 *
 * The degree of an assignment is the logic's ∧, ∨ and ¬ over the degrees of its conditions. The degree of an answer is that of its
 * best assignment: a variable that is no answer variable is bound by ∃. A variable that only one `not` mentions is bound inside the `not`.
 *
 * Source: FuzzQE (AAAI 2022), section 3.1, whose queries are disjunctions of conjunctions of atoms r(V, V').
 */
export interface Pattern {
  /** The names of the variables, without the question mark. */
  readonly variables: readonly string[];
  /** The variables whose entities make an answer, in this order; no variable for a question of yes or no. */
  readonly answers: readonly number[];
  readonly where: Condition;
}

/**
 * The pattern of a tree: a variable for the root, and for each projection from anything but an anchor.
 *
 * @example
 * patternOf(parseQueryText('project(borders, project(borders, France))', vocabulary)).variables; // ['x', 'x1']
 */
export function patternOf(query: Query): Pattern {
  const variables = ['x'];
  const visit = (node: Query, variable: number): Condition => {
    switch (node.op) {
      case 'entity':
        return { op: 'same', left: { variable }, right: termOf(node) };
      case 'project': {
        const { relation, from } = node;
        const to = { variable };
        if (from.op === 'entity') return { op: 'link', relation, from: termOf(from), to };
        const between = variables.push(`x${variables.length}`) - 1;
        const link: Condition = { op: 'link', relation, from: { variable: between }, to };
        return { op: 'and', operands: [link, visit(from, between)] };
      }
      case 'not':
        return { op: 'not', operand: visit(node.operand, variable) };
      default:
        return { op: node.op, operands: node.operands.map((operand) => visit(operand, variable)) };
    }
  };
  const where = visit(query, 0);
  return { variables, answers: [0], where };
}

/** The variables that a condition mentions, in their order of occurrence. */
export function variablesOf(condition: Condition): ReadonlySet<number> {
  const found = new Set<number>();
  const add = (term: Term): void => {
    if ('variable' in term) found.add(term.variable);
  };
  for (const node of nodesOf(condition))
    if (node.op === 'link') [node.from, node.to].forEach(add);
    else if (node.op === 'same') [node.left, node.right].forEach(add);
    else if (node.op === 'member') add(node);
  return found;
}

/** The relations along which a pattern asks, in their order of occurrence. */
export function relationsOf({ where }: Pattern): RelationId[] {
  const found = new Set<RelationId>();
  const visit = (node: Condition | SetQuery): void => {
    if (node.op === 'link') found.add(node.relation);
    else if (node.op === 'member') visit(node.query);
    else if (node.op === 'project') {
      found.add(node.relation);
      visit(node.from);
    } else if (node.op === 'not') visit(node.operand);
    else if ('operands' in node) for (const operand of node.operands) visit(operand);
  };
  visit(where);
  return [...found];
}

/** A condition with other terms. */
export function withTerms(condition: Condition, replace: (term: Term) => Term): Condition {
  switch (condition.op) {
    case 'link':
      return { ...condition, from: replace(condition.from), to: replace(condition.to) };
    case 'same':
      return { ...condition, left: replace(condition.left), right: replace(condition.right) };
    case 'member': {
      const term = replace(condition);
      // Callers replace the variable of a `member` by a variable.
      return { ...condition, variable: 'variable' in term ? term.variable : condition.variable };
    }
    case 'not':
      return { op: 'not', operand: withTerms(condition.operand, replace) };
    default:
      return { op: condition.op, operands: condition.operands.map((each) => withTerms(each, replace)) };
  }
}

function termOf({ entity }: EntityQuery): Term {
  return { entity };
}
