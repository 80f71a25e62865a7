import type { Exists, PatternPlan, PatternStep, PlanCondition } from '../query/pattern-plan.ts';
import type { SetQuery } from '../query/query.ts';
import { topK } from '../ranking/top-k.ts';
import { keyOf, linkSets, openSets, type SetsState } from './answer-sets.ts';
import { newArrays } from './arrays.ts';
import { type BestFirst, createBestFirst } from './best-first.ts';
import { highestPredicted } from './projection-settings.ts';
import { createScalarJoin } from './scalar-join.ts';

/** How far a pattern is answered. */
export interface PatternLimits {
  /** How many of the best tuples. */
  readonly k: number;
  /** What a tuple has to exceed, in [0, 1). Default 0. */
  readonly above?: number | undefined;
  /** How many links (h, r) are computed at most, and twice as many assignments go on. */
  readonly links: number;
  /** How many entities are tried for a variable at most, wherever a tuple begins or goes on. */
  readonly width: number;
  /** The highest degree of a link that is not recorded. Default `highestPredicted`. */
  readonly predicted?: number | undefined;
  /** Entities that answer variables have to have, one for each. Default: any. */
  readonly fixed?: ArrayLike<number> | undefined;
  /** Tuples that are no answer here, by `tupleKey`. Default: every tuple may be an answer. */
  readonly excluded?: ReadonlySet<string> | undefined;
  /** How ∃ joins the assignments of a tuple: by the maximum, or by the logic's ∨, for a plan that was made so. Default `max`. */
  readonly exists?: Exists | undefined;
  /** Called before each round of work; what it throws ends the search. */
  readonly check?: (() => void) | undefined;
}

/** The best tuples of a pattern. Shapes: n tuples, best first, of equal degrees the lower ids first. */
export interface PatternTuples {
  /** The entities of the answer variables of each tuple [n, answers]. */
  readonly tuples: Int32Array;
  /** [n] in (0, 1]. */
  readonly degrees: Float32Array;
  /** The entities of every step in the best assignment of each tuple [n, steps]. */
  readonly assignments: Int32Array;
  /** The highest degree that a tuple may have which was not looked at; 0 where every better tuple was looked at. */
  readonly unseen: number;
  /** How many links were computed. */
  readonly links: number;
}

/** Whether no tuple that was left out can be better than the last tuple. */
export function isExact({ unseen }: Pick<PatternTuples, 'unseen'>): boolean {
  return unseen === 0;
}

/** What tells one tuple from another. */
export function tupleKey(entities: ArrayLike<number>): string {
  return Array.prototype.join.call(entities, ' ');
}

/** An assignment of entities to the first variables. */
interface Assignment {
  /** [steps]; entities of later steps are not set. */
  readonly ids: Int32Array;
  /** How many variables have values. */
  readonly depth: number;
  /** ∧ of all that is decided. */
  readonly degree: number;
  /** What no assignment that continues this one exceeds. */
  readonly bound: number;
  /** The number in the order of making. */
  readonly number: number;
}

interface Found {
  readonly tuple: Int32Array;
  readonly ids: Int32Array;
  readonly degree: number;
}

/** How many assignments go on for each link that may be computed, at most: known links would else bound no work. */
export const extensionsPerLink = 2;

/** How many partial assignments go on in one round, with the links of all in one call. */
const together = 16;

/**
 * The best answer tuples of a planned pattern: variables get their values step by step, the most promising assignment first.
 *
 * `degree(x₁ … x_n) = ⋀ conditions`, and a tuple has the degree of its best assignment, or of all its assignments joined by ∨. An assignment under way cannot become better than
 * its degree ∧ the highest degree of each later set ∧, for each later link from an entity without recorded tails, `predicted`.
 * The search ends when nothing under way can be better than the k tuples found, or when `links` are spent.
 *
 * Source: bounded best-first search over the EFO queries of FIT (ICLR 2024), with (9) and (10) for the degrees.
 */
export async function answerPattern(
  state: SetsState,
  plan: PatternPlan,
  limits: PatternLimits,
): Promise<PatternTuples> {
  const { logic, facts, arrays = newArrays } = state;
  const { steps, answers } = plan;
  const { k, above = 0, predicted = highestPredicted, check = () => {} } = limits;
  const { entityCount } = facts;
  const queries = steps.flatMap((step) => queriesOf(step));
  const sets = await openSets(state, queries);
  const degreesOf = new Map<SetQuery, Float32Array>();
  for (const query of queries) degreesOf.set(query, await sets.degrees(query));
  const joinsAll = limits.exists === 'or';
  const both = createScalarJoin(logic.and);
  const either = createScalarJoin(logic.or);
  const rest = highestOfRest(steps, degreesOf, both);
  const leads = steps.map((_, from) => linksFrom(steps, from));
  const leavesOf = createLeaves(state);
  const rows = new Map<string, Float32Array>();
  const fixed = steps.map((_, at) => {
    const place = answers.indexOf(at);
    return limits.fixed === undefined || place < 0 ? undefined : limits.fixed[place];
  });

  /** What no assignment with these values exceeds. */
  const boundOf = (ids: Int32Array, depth: number, degree: number): number => {
    let bound = both(degree, rest[depth]!);
    for (let at = 0; at < depth; at += 1)
      for (const { relation, to } of leads[at]!)
        if (to >= depth && leavesOf(relation)[ids[at]!] === 0) bound = both(bound, predicted);
    return bound;
  };

  const open: BestFirst<Assignment> = createBestFirst(
    (a, b) =>
      a.bound > b.bound ||
      (a.bound === b.bound && (a.depth > b.depth || (a.depth === b.depth && a.number < b.number))),
  );
  let number = 0;
  const add = (ids: Int32Array, depth: number, degree: number, bound: number): void =>
    open.add({ ids, depth, degree, bound, number: number++ });
  const found = new Map<string, Found>();
  // By ∨, a tuple may become better by every assignment.
  let floor = joinsAll ? 0 : above;
  let extensions = 0;
  const mostExtensions = extensionsPerLink * limits.links;
  let unseen = 0;
  const complete = (ids: Int32Array, degree: number): void => {
    if (degree <= floor) return;
    const tuple = Int32Array.from(answers, (at) => ids[at]!);
    const key = tupleKey(tuple);
    const before = found.get(key);
    if (limits.excluded?.has(key)) return;
    if (before === undefined) found.set(key, { tuple, ids, degree });
    else if (joinsAll) found.set(key, { ...before, degree: either(before.degree, degree) });
    else if (before.degree < degree) found.set(key, { tuple, ids, degree });
  };

  /** Gives the next variable its values. */
  const extend = (partial: Assignment): void => {
    const { ids, depth } = partial;
    const step = steps[depth]!;
    const values = arrays.take(entityCount).fill(partial.degree);
    if (step.set !== undefined) logic.and(values, degreesOf.get(step.set)!, values);
    for (const condition of step.conditions) {
      const degrees = evaluate(condition, depth, ids);
      logic.and(values, degrees, values);
      arrays.giveBack(degrees);
    }
    const only = fixed[depth];
    if (only !== undefined) {
      const degree = values[only] ?? 0;
      values.fill(0);
      if (only < entityCount) values[only] = degree;
    }
    const isLast = depth === steps.length - 1;
    const bounds = isLast ? values : boundsOf(values, ids, depth);
    // Behind the last variable only the best tuples count, and of a variable that is no answer the best value.
    const ofLast = answers.includes(depth) ? k + (limits.excluded?.size ?? 0) : 1;
    const wanted = isLast && !joinsAll ? ofLast : limits.width;
    const best = topK(bounds, Math.min(wanted + 1, entityCount)).ids;
    best.forEach((id, place) => {
      const bound = bounds[id]!;
      if (bound <= floor) return;
      if (place === wanted) {
        if (!isLast || joinsAll) unseen = Math.max(unseen, bound);
        return;
      }
      const child = ids.slice();
      child[depth] = id;
      if (isLast) complete(child, values[id]!);
      else add(child, depth + 1, values[id]!, bound);
    });
    if (bounds !== values) arrays.giveBack(bounds);
    arrays.giveBack(values);
  };

  const boundsOf = (values: Float32Array, ids: Int32Array, depth: number): Float32Array => {
    const bounds = arrays.take(entityCount);
    const child = ids.slice();
    for (let id = 0; id < entityCount; id += 1) {
      const degree = values[id]!;
      if (degree <= floor) continue;
      child[depth] = id;
      bounds[id] = boundOf(child, depth + 1, degree);
    }
    return bounds;
  };

  /** The degrees of a condition for each value of the variable of a step. Shape: [|E|], the caller's own. */
  const evaluate = (condition: PlanCondition, depth: number, ids: Int32Array): Float32Array => {
    const out = arrays.take(entityCount);
    const fill = (set: Float32Array, at: number): Float32Array =>
      at === depth ? copyInto(out, set) : out.fill(set[ids[at]!]!);
    switch (condition.op) {
      case 'link':
        return fill(rows.get(keyOf(ids[condition.from]!, condition.relation))!, condition.to);
      case 'member':
        return fill(degreesOf.get(condition.query)!, condition.step);
      case 'same': {
        const { left, right } = condition;
        if (left === depth || right === depth) out[ids[left === depth ? right : left]!] = 1;
        else out.fill(ids[left] === ids[right] ? 1 : 0);
        return out;
      }
      case 'not': {
        const operand = evaluate(condition.operand, depth, ids);
        logic.not(operand, out);
        arrays.giveBack(operand);
        return out;
      }
      default:
        condition.operands.forEach((operand, i) => {
          const degrees = evaluate(operand, depth, ids);
          if (i === 0) copyInto(out, degrees);
          else logic[condition.op](out, degrees, out);
          arrays.giveBack(degrees);
        });
        return out;
    }
  };

  add(new Int32Array(steps.length), 0, 1, rest[0]!);
  while (open.best !== undefined && open.best.bound > floor) {
    check();
    const round: Assignment[] = [];
    const missing = new Map<string, readonly [head: number, relation: number]>();
    while (round.length < together && open.best !== undefined && open.best.bound > floor) {
      const needed = linksOf(steps[open.best.depth]!, open.best.ids).filter(
        (link) => !rows.has(keyOf(...link)),
      );
      const more = needed.filter((link) => !missing.has(keyOf(...link))).length;
      const isSpent = rows.size + missing.size + more > limits.links;
      if (isSpent || extensions === mostExtensions) break;
      extensions += 1;
      for (const link of needed) missing.set(keyOf(...link), link);
      round.push(open.take()!);
    }
    if (round.length === 0) {
      unseen = Math.max(unseen, open.best.bound);
      break;
    }
    if (missing.size > 0)
      for (const [key, row] of await linkSets(state, [...missing.values()])) rows.set(key, row);
    for (const partial of round) extend(partial);
    if (joinsAll) continue;
    if (found.size > k) keepBest(found, k);
    if (found.size === k) floor = Math.max(floor, lowest(found));
  }
  if (joinsAll) {
    for (const [key, { degree }] of found) if (degree <= above) found.delete(key);
    keepBest(found, k);
  }
  const ranked = sorted(found);
  return {
    tuples: Int32Array.from(ranked.flatMap(({ tuple }) => [...tuple])),
    degrees: Float32Array.from(ranked, ({ degree }) => degree),
    assignments: Int32Array.from(ranked.flatMap(({ ids }) => [...ids])),
    // What was left out below the last tuple that is wanted changes nothing.
    unseen: unseen > floor ? unseen : 0,
    links: rows.size,
  };
}

function sorted(found: ReadonlyMap<string, Found>): Found[] {
  return [...found.values()].sort((a, b) => b.degree - a.degree || compare(a.tuple, b.tuple));
}

function compare(a: Int32Array, b: Int32Array): number {
  const at = a.findIndex((id, i) => id !== b[i]);
  return at < 0 ? 0 : a[at]! - b[at]!;
}

function keepBest(found: Map<string, Found>, k: number): void {
  for (const { tuple } of sorted(found).slice(k)) found.delete(tupleKey(tuple));
}

function lowest(found: ReadonlyMap<string, Found>): number {
  let least = 1;
  for (const { degree } of found.values()) least = Math.min(least, degree);
  return least;
}

/** ∧ of the highest degrees of the sets of each step and all later ones. Shape: [steps + 1]. */
function highestOfRest(
  steps: readonly PatternStep[],
  degreesOf: ReadonlyMap<SetQuery, Float32Array>,
  both: (a: number, b: number) => number,
): number[] {
  const rest = [1];
  for (const { set } of [...steps].reverse())
    rest.unshift(
      set === undefined
        ? rest[0]!
        : both(
            degreesOf.get(set)!.reduce((a, b) => Math.max(a, b), 0),
            rest[0]!,
          ),
    );
  return rest;
}

/** The links that have to hold and that leave the variable of a step. */
function linksFrom(steps: readonly PatternStep[], from: number): Extract<PlanCondition, { op: 'link' }>[] {
  return steps.flatMap(({ conditions }) =>
    conditions.flatMap((condition) =>
      condition.op === 'link' && condition.from === from ? [condition] : [],
    ),
  );
}

/** Which entities a relation leaves in the facts. */
function createLeaves({ facts }: Pick<SetsState, 'facts'>): (relation: number) => Uint8Array {
  const known = new Map<number, Uint8Array>();
  return (relation) => {
    let leaves = known.get(relation);
    if (leaves === undefined) {
      leaves = new Uint8Array(facts.entityCount);
      for (const head of facts.headsOf(relation)) leaves[head] = 1;
      known.set(relation, leaves);
    }
    return leaves;
  };
}

/** The sets that a step and its conditions name. */
function queriesOf({ set, conditions }: PatternStep): SetQuery[] {
  const found = set === undefined ? [] : [set];
  const visit = (condition: PlanCondition): void => {
    if (condition.op === 'member') found.push(condition.query);
    else if (condition.op === 'not') visit(condition.operand);
    else if ('operands' in condition) condition.operands.forEach(visit);
  };
  conditions.forEach(visit);
  return found;
}

/** The links that the conditions of a step read, without repetition. */
function linksOf(
  { conditions }: PatternStep,
  ids: Int32Array,
): (readonly [head: number, relation: number])[] {
  const found = new Map<string, readonly [number, number]>();
  const visit = (condition: PlanCondition): void => {
    if (condition.op === 'link') {
      const link = [ids[condition.from]!, condition.relation] as const;
      found.set(keyOf(...link), link);
    } else if (condition.op === 'not') visit(condition.operand);
    else if ('operands' in condition) condition.operands.forEach(visit);
  };
  conditions.forEach(visit);
  return [...found.values()];
}

function copyInto(out: Float32Array, values: Float32Array): Float32Array {
  out.set(values);
  return out;
}
