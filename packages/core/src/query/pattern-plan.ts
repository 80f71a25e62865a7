import { FuzzError } from '../errors.ts';
import { inverseOf, type RelationId } from '../kg/ids.ts';
import { keptBy } from '../kg/kept-by.ts';
import { nodesOf } from './nodes.ts';
import {
  type Condition,
  type LinkCondition,
  type Pattern,
  type Term,
  variablesOf,
  withTerms,
} from './pattern.ts';
import { entity, joined, plainQuery, type Query, type SetQuery } from './query.ts';

/** A condition on variables that have values, each by the step that gives the value. */
export type PlanCondition =
  | { readonly op: 'link'; readonly relation: RelationId; readonly from: number; readonly to: number }
  | { readonly op: 'same'; readonly left: number; readonly right: number }
  | { readonly op: 'member'; readonly step: number; readonly query: SetQuery }
  | { readonly op: 'and' | 'or'; readonly operands: readonly PlanCondition[] }
  | { readonly op: 'not'; readonly operand: PlanCondition };

/** Gives a variable its value. */
export interface PatternStep {
  /** The number of the variable; that of a variable that the plan added is beyond those of the pattern. */
  readonly variable: number;
  /** The set of the entities that the variable may have; undefined where nothing restricts the variable by itself. */
  readonly set: SetQuery | undefined;
  /** What joins the variable with those of earlier steps. */
  readonly conditions: readonly PlanCondition[];
}

/**
 * How a pattern is answered: parts that are trees have become sets, and the variables that are left get their values step by step.
 *
 * The links between two variables are read from the variable of the earlier step, those of an entity from the entity.
 */
export interface PatternPlan {
  readonly steps: readonly PatternStep[];
  /** The step of each answer variable. */
  readonly answers: readonly number[];
}

/** How ∃ joins the degrees of all values of a variable: by their maximum, or by the logic's ∨. */
export type Exists = 'max' | 'or';

/** The tree that a plan is, if its pattern is a tree. */
export function treeOf({ steps, answers }: PatternPlan): SetQuery | undefined {
  const [step, ...others] = steps;
  return step !== undefined && others.length === 0 && answers.length === 1 ? step.set : undefined;
}

/** The tree that a plan is, if it has no leaves but anchors. */
export function plainTree(plan: PatternPlan): Query | undefined {
  const tree = treeOf(plan);
  return tree && plainQuery(tree);
}

/**
 * Plans a pattern: eliminates every variable that one link joins with the rest, and orders the others. A pattern keeps its plan.
 *
 * ∃z r(z, x) ∧ q(z) becomes x ∈ P_r(q): the logic's ∧ distributes over the maximum. What is left are answer variables and cycles.
 * By ∨ nothing is eliminated but what a negation binds, which is joined by the maximum.
 *
 * @throws FuzzError `query`: a negation with a variable of its own that joins two others. `query`: a repeated relation between two variables
 * that are both searched.
 */
export function planPattern(pattern: Pattern, exists: Exists = 'max'): PatternPlan {
  return exists === 'max' ? planByMaximum(pattern) : planByOr(pattern);
}

// What estimates the cost of a pattern plans it, and so does what answers it.
const planByMaximum = keptBy((pattern: Pattern) => makePlan(pattern, 'max'));
const planByOr = keptBy((pattern: Pattern) => makePlan(pattern, 'or'));

function makePlan(pattern: Pattern, exists: Exists): PatternPlan {
  const { where, added } = withoutConstants(pattern);
  const merged = mergeSame(pattern, where);
  const kept = exists === 'max' ? merged.answers : [...merged.answers, ...outsideNegations(merged.where)];
  const conditions = eliminate([merged.where, ...added], new Set(kept), pattern);
  for (const condition of conditions) checkRepeats(condition, pattern);
  return ordered(conditions, merged.answers);
}

/** The variables that something else than a negation mentions. */
function outsideNegations(condition: Condition): number[] {
  if (condition.op === 'not') return [];
  return 'operands' in condition ? condition.operands.flatMap(outsideNegations) : [...variablesOf(condition)];
}

/** Replaces conditions on entities alone, and links from a variable to itself, by conditions on added variables that have one value each. */
function withoutConstants({ variables, where }: Pattern): { where: Condition; added: Condition[] } {
  const added: Condition[] = [];
  let next = variables.length;
  const valued = (term: Term): Term => {
    const variable = next++;
    added.push({ op: 'same', left: { variable }, right: term });
    return { variable };
  };
  const visit = (node: Condition): Condition => {
    switch (node.op) {
      case 'link': {
        const { from, to } = node;
        const isConstant = 'entity' in from && 'entity' in to;
        return isConstant || isSame(from, to) ? { ...node, to: valued(to) } : node;
      }
      case 'same': {
        const { left, right } = node;
        return 'entity' in left && 'entity' in right ? { ...node, left: valued(left) } : node;
      }
      case 'member':
        return node;
      case 'not':
        return { op: 'not', operand: visit(node.operand) };
      default:
        return { op: node.op, operands: node.operands.map(visit) };
    }
  };
  return { where: visit(where), added };
}

const isSame = (a: Term, b: Term): boolean =>
  'variable' in a ? 'variable' in b && a.variable === b.variable : 'entity' in b && a.entity === b.entity;

/** Merges the variables that have to be the same. */
function mergeSame({ answers }: Pattern, where: Condition): { where: Condition; answers: readonly number[] } {
  const merged = new Map<number, number>();
  const rootOf = (variable: number): number => {
    const next = merged.get(variable);
    return next === undefined ? variable : rootOf(next);
  };
  const visit = (node: Condition): void => {
    if (node.op === 'and') node.operands.forEach(visit);
    else if (node.op === 'same' && 'variable' in node.left && 'variable' in node.right) {
      const [left, right] = [rootOf(node.left.variable), rootOf(node.right.variable)];
      if (left !== right) merged.set(Math.max(left, right), Math.min(left, right));
    }
  };
  visit(where);
  if (merged.size === 0) return { where, answers };
  return {
    where: withTerms(where, (term) => ('variable' in term ? { variable: rootOf(term.variable) } : term)),
    answers: answers.map(rootOf),
  };
}

/** Conditions that hold together, without the variables that are neither `outer` nor needed to join others. */
function eliminate(
  operands: readonly Condition[],
  outer: ReadonlySet<number>,
  pattern: Pattern,
): readonly Condition[] {
  const items: Condition[] = [];
  operands.forEach((operand, i) => {
    if (isTrue(operand)) return;
    const others = operands.filter((_, j) => j !== i);
    const found = simplify(operand, mentioned(others, outer), pattern);
    if (found.op === 'and') items.push(...found.operands);
    else items.push(found);
  });
  for (;;) {
    const variable = [...mentioned(items)].find((each) => !outer.has(each) && joinOf(items, each));
    if (variable === undefined) return items;
    const link = joinOf(items, variable)!;
    const sets = items.flatMap((item) =>
      item.op === 'member' && item.variable === variable ? [item.query] : [],
    );
    const [near, far] = [link.from, link.to].map((term) => ('variable' in term ? term.variable : -1));
    const isForward = near === variable;
    items.splice(items.indexOf(link), 1, {
      op: 'member',
      variable: (isForward ? far : near)!,
      query: ledTo(link, isForward, inAll(sets)),
    });
    for (let at = items.length - 1; at >= 0; at -= 1) {
      const item = items[at]!;
      if (item.op === 'member' && item.variable === variable) items.splice(at, 1);
    }
  }
}

/** The link that joins a variable with the others, if nothing else does. */
function joinOf(items: readonly Condition[], variable: number): LinkCondition | undefined {
  const joins = items.filter((item) => item.op !== 'member' && variablesOf(item).has(variable));
  const [join] = joins;
  return joins.length === 1 && join!.op === 'link' ? join : undefined;
}

/** A condition without variables of its own, as a set wherever it mentions one variable alone. */
function simplify(condition: Condition, outer: ReadonlySet<number>, pattern: Pattern): Condition {
  switch (condition.op) {
    case 'member':
      return condition;
    case 'link': {
      const { from, to } = condition;
      if ('entity' in from && 'variable' in to)
        return { op: 'member', variable: to.variable, query: ledTo(condition, true, entity(from.entity)) };
      if ('variable' in from && 'entity' in to)
        return { op: 'member', variable: from.variable, query: ledTo(condition, false, entity(to.entity)) };
      return condition;
    }
    case 'same': {
      const { left, right } = condition;
      if ('variable' in left && isSame(left, right))
        return { op: 'member', variable: left.variable, query: { op: 'any' } };
      if ('variable' in left && 'entity' in right)
        return { op: 'member', variable: left.variable, query: { op: 'entity', entity: right.entity } };
      return 'entity' in left
        ? simplify({ op: 'same', left: right, right: left }, outer, pattern)
        : condition;
    }
    case 'and': {
      const items = eliminate(condition.operands, outer, pattern);
      return asMember(items, 'and') ?? { op: 'and', operands: items };
    }
    case 'or': {
      const operands = condition.operands.map((operand, i) => {
        const others = condition.operands.filter((_, j) => j !== i);
        return withoutOwn(operand, mentioned(others, outer), pattern);
      });
      return asMember(operands, 'or') ?? { op: 'or', operands };
    }
    case 'not': {
      const operand = withoutOwn(condition.operand, outer, pattern);
      const own = [...variablesOf(operand)].find((variable) => !outer.has(variable));
      if (own !== undefined) throw ownVariable(pattern.variables[own] ?? '');
      if (operand.op !== 'member') return { op: 'not', operand };
      return { ...operand, query: { op: 'not', operand: operand.query } };
    }
  }
}

/** As `simplify`; of a link, the variable that nothing else mentions is eliminated. */
function withoutOwn(condition: Condition, outer: ReadonlySet<number>, pattern: Pattern): Condition {
  const simple = simplify(condition, outer, pattern);
  return simple.op === 'link' ? eliminate([simple], outer, pattern)[0]! : simple;
}

/** What a link leads to from a set, forwards or backwards. */
function ledTo({ relation, repeat }: LinkCondition, isForward: boolean, from: SetQuery): SetQuery {
  const along = isForward ? relation : inverseOf(relation);
  return repeat === undefined
    ? { op: 'project', relation: along, from }
    : { op: 'reach', relation: along, repeat, from };
}

/** Sets of one variable as one set. */
function asMember(items: readonly Condition[], op: 'and' | 'or'): Condition | undefined {
  const [first] = items;
  if (first?.op !== 'member') return undefined;
  const { variable } = first;
  const queries = items.flatMap((item) =>
    item.op === 'member' && item.variable === variable ? [item.query] : [],
  );
  return queries.length === items.length ? { op: 'member', variable, query: joined(op, queries) } : undefined;
}

/** The entities that are in all sets: all entities, if there is no set. */
function inAll(sets: readonly SetQuery[]): SetQuery {
  return sets.length === 0 ? { op: 'any' } : joined('and', sets);
}

const isTrue = (condition: Condition): boolean =>
  condition.op === 'same' && isSame(condition.left, condition.right);

function mentioned(conditions: readonly Condition[], more: Iterable<number> = []): Set<number> {
  const found = new Set(more);
  for (const condition of conditions) for (const variable of variablesOf(condition)) found.add(variable);
  return found;
}

function ownVariable(name: string): FuzzError {
  return new FuzzError(
    'query',
    `pattern: expected ?${name} outside of "not" as well, got it inside alone, in several conditions that need the same value`,
    {
      hint: `Add a condition on ?${name} outside of "not".`,
    },
  );
}

/** Refuses a repeated relation whose ends are both searched: each start would have a set of its own. */
function checkRepeats(condition: Condition, pattern: Pick<Pattern, 'variables'>): void {
  for (const node of nodesOf(condition)) {
    if (node.op !== 'link' || node.repeat === undefined) continue;
    const names = [...variablesOf(node)].map((each) => `?${pattern.variables[each] ?? 'itself'}`);
    throw new FuzzError(
      'query',
      `pattern: expected "${node.repeat}" on a relation with one end that leads to an entity, got ${names.join(' and ')}`,
      { hint: 'Name an entity at one end, or ask for one of the variables alone.' },
    );
  }
}

/** Orders the variables that are left: the most restricted first, then always the variable that decides most. */
function ordered(items: readonly Condition[], answers: readonly number[]): PatternPlan {
  const open = mentioned(items, answers);
  const setsOf = (variable: number): SetQuery[] =>
    items.flatMap((item) => (item.op === 'member' && item.variable === variable ? [item.query] : []));
  const joins = items.filter((item) => item.op !== 'member');
  const stepOf = new Map<number, number>();
  const steps: PatternStep[] = [];
  const decidedBy = (variable: number): Condition[] =>
    joins.filter((join) => {
      const variables = variablesOf(join);
      return variables.has(variable) && [...variables].every((each) => each === variable || stepOf.has(each));
    });
  while (open.size > 0) {
    const rankOf = (variable: number): readonly number[] => {
      const sets = setsOf(variable);
      return [
        sets.some(({ op }) => op === 'entity') ? 1 : 0,
        decidedBy(variable).filter(({ op }) => op !== 'not').length,
        sets.length > 0 ? 1 : 0,
        answers.includes(variable) ? 1 : 0,
        -variable,
      ];
    };
    const next = [...open].reduce((best, each) => (isBefore(rankOf(each), rankOf(best)) ? each : best));
    const conditions = decidedBy(next);
    stepOf.set(next, steps.length);
    const sets = setsOf(next);
    steps.push({
      variable: next,
      set: sets.length === 0 ? undefined : joined('and', sets),
      conditions: conditions.map((condition) => byStep(condition, stepOf)),
    });
    open.delete(next);
  }
  return { steps, answers: answers.map((variable) => stepOf.get(variable)!) };
}

function isBefore(a: readonly number[], b: readonly number[]): boolean {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at >= 0 && a[at]! > b[at]!;
}

function byStep(condition: Condition, stepOf: ReadonlyMap<number, number>): PlanCondition {
  // Conditions with entities have become sets.
  const at = (term: Term): number => stepOf.get('variable' in term ? term.variable : -1)!;
  switch (condition.op) {
    case 'link': {
      const [from, to] = [at(condition.from), at(condition.to)];
      if (from < to) return { op: 'link', relation: condition.relation, from, to };
      return { op: 'link', relation: inverseOf(condition.relation), from: to, to: from };
    }
    case 'same':
      return { op: 'same', left: at(condition.left), right: at(condition.right) };
    case 'member':
      return { op: 'member', step: stepOf.get(condition.variable)!, query: condition.query };
    case 'not':
      return { op: 'not', operand: byStep(condition.operand, stepOf) };
    default:
      return { op: condition.op, operands: condition.operands.map((each) => byStep(each, stepOf)) };
  }
}
