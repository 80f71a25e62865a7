import { confidenceOf } from '../kg/fact-confidences.ts';
import { placeOf } from '../kg/fact-rows.ts';
import type { KnowledgeGraph } from '../kg/knowledge-graph.ts';
import { leavesOf } from '../query/nodes.ts';
import type { Exists, PatternPlan, PatternStep, PlanCondition } from '../query/pattern-plan.ts';
import type { SetQuery } from '../query/query.ts';
import { topK } from '../ranking/top-k.ts';
import { keyOf, linkSets, openSets, type SetsState } from './answer-sets.ts';
import { type BestFirst, createBestFirst } from './best-first.ts';
import { degreesAt, type ListedSet, listSet } from './listed-set.ts';
import { highestPredicted } from './projection-settings.ts';
import { createScalarJoin } from './scalar-join.ts';

/** How far a pattern is answered. */
export interface PatternLimits {
  /** How many of the best tuples. */
  readonly k: number;
  /** What a tuple has to exceed, in [0, 1). Default 0. */
  readonly above?: number | undefined;
  /** How many links (h, r) are computed at most; `extensionsPerLink` times as many assignments go on. */
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
  /** Whether the next variable gets values that need a predicted link: the values that recorded links give were tried. */
  readonly predicts: boolean;
  /** The number in the order of making. */
  readonly number: number;
}

interface Found {
  readonly tuple: Int32Array;
  readonly ids: Int32Array;
  readonly degree: number;
}

type PlanLink = Extract<PlanCondition, { op: 'link' }>;

/** How many partial assignments go on for each link that may be computed, at most: recorded and known links would else bound no work. */
export const extensionsPerLink = 8;

/** How many partial assignments go on in one round at most, with the links of all in one call. */
const together = 16;

/**
 * The best answer tuples of a planned pattern: variables get their values step by step, the most promising assignment first.
 *
 * `degree(x₁ … x_n) = ⋀ conditions`, and a tuple has the degree of its best assignment, or of all its assignments joined by ∨. An assignment under way cannot become better than
 * its degree ∧ the highest degree of each later set ∧, for each later link from an entity without recorded tails, `predicted`.
 * A variable first gets the values that recorded links give, which computes no link. For other values links are computed one after the other,
 * as long as the links before leave the bound high enough.
 * The search ends when nothing under way can be better than the k tuples found. When `links` are spent, only recorded links are followed.
 *
 * Source: bounded best-first search over the EFO queries of FIT (ICLR 2024), with (9) and (10) for the degrees.
 */
export async function answerPattern(
  state: SetsState,
  plan: PatternPlan,
  limits: PatternLimits,
): Promise<PatternTuples> {
  const { logic, facts } = state;
  const { steps, answers } = plan;
  const { k, above = 0, predicted = highestPredicted, excluded, check = () => {} } = limits;
  const queries = steps.flatMap(({ set, conditions }) => [
    ...(set === undefined ? [] : [set]),
    ...conditions
      .flatMap((each) => leavesOf(each))
      .flatMap((part) => (part.op === 'member' ? [part.query] : [])),
  ]);
  const sets = await openSets(state, queries);
  const setOf = new Map<SetQuery, ListedSet>();
  for (const query of queries) setOf.set(query, listSet(await sets.degrees(query)));
  const joinsAll = limits.exists === 'or';
  const both = createScalarJoin(logic.and);
  const either = createScalarJoin(logic.or);
  const rest = highestOfRest(steps, setOf, both);
  // The links that have to hold lead to the variable of their step, the links of other conditions wherever.
  const linksTo = steps.map(({ conditions }) => conditions.filter(isLink));
  const otherLinks = steps.map(({ conditions }) =>
    conditions.filter((each) => !isLink(each)).flatMap((each) => leavesOf(each).filter(isLink)),
  );
  const leads = linksTo.flat().map((link) => ({ ...link, leaves: headMarks(facts, link.relation) }));
  const rows = new Map<number, ListedSet>();
  const rowKey = (ids: Int32Array, { from, relation }: PlanLink): number =>
    ids[from]! * facts.relationCount + relation;
  const isMissing = (ids: Int32Array, link: PlanLink): boolean => !rows.has(rowKey(ids, link));
  const all = new Int32Array(facts.entityCount).map((_, id) => id);

  const open: BestFirst<Assignment> = createBestFirst(
    (a, b) =>
      a.bound > b.bound ||
      (a.bound === b.bound && (a.depth > b.depth || (a.depth === b.depth && a.number < b.number))),
  );
  let number = 0;
  const add = (partial: Omit<Assignment, 'number'>): void => open.add({ ...partial, number: number++ });
  const found = new Map<string, Found>();
  // By ∨, a tuple may become better by every assignment.
  let floor = joinsAll ? 0 : above;
  let extensions = 0;
  const mostExtensions = extensionsPerLink * limits.links;
  let unseen = 0;
  const tupleOf = (ids: Int32Array): Int32Array => Int32Array.from(answers, (step) => ids[step]!);
  const complete = (ids: Int32Array, degree: number): void => {
    const tuple = tupleOf(ids);
    const key = tupleKey(tuple);
    const before = found.get(key);
    if (joinsAll && before !== undefined)
      found.set(key, { ...before, degree: either(before.degree, degree) });
    else if (before === undefined || before.degree < degree) found.set(key, { tuple, ids, degree });
  };
  /** Drops what is worse than the k best; the best are first. */
  const keepBest = (): Found[] => {
    const ranked = [...found.values()].sort((a, b) => b.degree - a.degree || compare(a.tuple, b.tuple));
    for (const { tuple } of ranked.splice(k)) found.delete(tupleKey(tuple));
    return ranked;
  };

  /** The values of the next variable by recorded links alone, ascending; undefined where no link has to hold. */
  const recordedValues = ({ ids, depth }: Assignment): Int32Array | undefined => {
    const [first, ...others] = linksTo[depth]!.map(({ from, relation }) =>
      facts.tails(ids[from]!, relation),
    ).sort((a, b) => a.length - b.length);
    return first?.filter((id) => others.every((tails) => placeOf(tails, id, 0, tails.length) >= 0));
  };

  /** The links to compute before an assignment goes on. */
  const missingFor = (partial: Assignment): readonly PlanLink[] => {
    const { ids, depth, predicts } = partial;
    const others = otherLinks[depth]!.filter((link) => isMissing(ids, link));
    if (!predicts) return others.length === 0 || recordedValues(partial)!.length > 0 ? others : [];
    const first = linksTo[depth]!.find((link) => isMissing(ids, link));
    return first === undefined ? others : [first];
  };

  /** Gives the next variable its values, or finds what a computed link leaves of the bound. */
  const extend = (partial: Assignment): void => {
    const { ids, depth, predicts } = partial;
    const { set, conditions } = steps[depth]!;
    const recorded = recordedValues(partial);
    let values = predicts ? all : recorded!;
    // The smallest set has all members that matter.
    for (const each of [
      set && setOf.get(set),
      ...linksTo[depth]!.map((link) => rows.get(rowKey(ids, link))),
    ]) {
      const members = predicts ? each?.above(floor) : undefined;
      if (members !== undefined && members.length < values.length) values = members;
    }
    const only = limits.fixed?.[answers.indexOf(depth)];
    if (only !== undefined) values = values.filter((id) => id === only);
    const degrees = new Float32Array(values.length).fill(partial.degree);
    if (set !== undefined) logic.and(degrees, degreesAt(setOf.get(set)!.degrees, values), degrees);
    const isWhole = !predicts || missingFor(partial).length === 0;
    for (const condition of values.length === 0 ? [] : conditions)
      if (isWhole || (isLink(condition) && !isMissing(ids, condition)))
        logic.and(degrees, evaluate(condition, depth, ids, values), degrees);
    for (const id of (predicts && recorded) || []) {
      const at = placeOf(values, id, 0, values.length);
      if (at >= 0) degrees[at] = 0;
    }
    const isLast = depth === steps.length - 1;
    const bounds = isLast ? degrees : boundsOf(degrees, values, ids, depth);
    if (!isWhole) {
      const most = bounds.reduce((a, b) => Math.max(a, b), 0);
      add({ ...partial, bound: Math.min(partial.bound, most) });
      return;
    }
    // Behind the last variable only the best tuples count, and of a variable that is no answer the best value.
    const ofLast = answers.includes(depth) ? k + (excluded?.size ?? 0) : 1;
    const wanted = isLast && !joinsAll ? ofLast : limits.width;
    const best = values.length === 0 ? [] : topK(bounds, Math.min(wanted + 1, values.length)).ids;
    best.forEach((at, place) => {
      const bound = bounds[at]!;
      if (bound <= floor) return;
      if (place === wanted) {
        if (!isLast || joinsAll) unseen = Math.max(unseen, bound);
        return;
      }
      const child = ids.slice();
      child[depth] = values[at]!;
      if (answers.every((step) => step <= depth) && excluded?.has(tupleKey(tupleOf(child)))) return;
      if (isLast) complete(child, degrees[at]!);
      else
        add({
          ...{ ids: child, depth: depth + 1, degree: degrees[at]!, bound },
          predicts: linksTo[depth + 1]!.length === 0,
        });
    });
    if (predicts) return;
    // A link without recorded tails is predicted in the bound already.
    const isBounded = leads.some(({ from, to, leaves }) => to === depth && leaves[ids[from]!] === 0);
    add({ ...partial, predicts: true, bound: isBounded ? partial.bound : both(partial.bound, predicted) });
  };

  /** What no assignment exceeds that goes on with a value of the next variable. Shape: [values]. */
  const boundsOf = (
    degrees: Float32Array,
    values: Int32Array,
    ids: Int32Array,
    depth: number,
  ): Float32Array => {
    const bounds = logic.and(degrees, new Float32Array(values.length).fill(rest[depth + 1]!));
    for (const { from, to, leaves } of leads) {
      if (from > depth || to <= depth) continue;
      const most = new Float32Array(values.length).fill(1);
      for (let i = 0; i < values.length; i += 1)
        if (leaves[from === depth ? values[i]! : ids[from]!] === 0) most[i] = predicted;
      logic.and(bounds, most, bounds);
    }
    return bounds;
  };

  /** The degrees of a condition for some values of the variable of a step. Shape: [values], the caller's own. */
  const evaluate = (
    condition: PlanCondition,
    depth: number,
    ids: Int32Array,
    values: Int32Array,
  ): Float32Array => {
    const fill = (set: Float32Array, step: number): Float32Array =>
      step === depth ? degreesAt(set, values) : new Float32Array(values.length).fill(set[ids[step]!]!);
    switch (condition.op) {
      case 'link': {
        const row = rows.get(rowKey(ids, condition));
        if (row !== undefined) return fill(row.degrees, condition.to);
        // Only values that the link records come without its row.
        const { from, relation } = condition;
        return Float32Array.from(values, (id) => confidenceOf(facts.confidences, ids[from]!, relation, id));
      }
      case 'member':
        return fill(setOf.get(condition.query)!.degrees, condition.step);
      case 'same': {
        const { left, right } = condition;
        const of = (step: number, id: number): number => (step === depth ? id : ids[step]!);
        return Float32Array.from(values, (id) => Number(of(left, id) === of(right, id)));
      }
      case 'not': {
        const operand = evaluate(condition.operand, depth, ids, values);
        return logic.not(operand, operand);
      }
      default:
        return condition.operands
          .map((operand) => evaluate(operand, depth, ids, values))
          .reduce((a, b) => logic[condition.op](a, b, a));
    }
  };

  add({ ids: new Int32Array(steps.length), depth: 0, degree: 1, bound: rest[0]!, predicts: true });
  // Rounds begin small: what the first tuples have as degrees may end the search.
  for (
    let most = 1;
    open.best !== undefined && open.best.bound > floor;
    most = Math.min(2 * most, together)
  ) {
    check();
    const round: Assignment[] = [];
    const missing = new Map<number, readonly [head: number, relation: number]>();
    while (round.length < most && open.best !== undefined && open.best.bound > floor) {
      if (extensions === mostExtensions) break;
      const partial = open.take()!;
      const needed = missingFor(partial).filter((link) => !missing.has(rowKey(partial.ids, link)));
      if (rows.size + missing.size + needed.length > limits.links) {
        unseen = Math.max(unseen, partial.bound);
        continue;
      }
      extensions += 1;
      for (const link of needed)
        missing.set(rowKey(partial.ids, link), [partial.ids[link.from]!, link.relation]);
      round.push(partial);
    }
    if (round.length === 0 && extensions === mostExtensions) {
      unseen = Math.max(unseen, open.best?.bound ?? 0);
      break;
    }
    if (missing.size > 0) {
      const sets = await linkSets(state, [...missing.values()]);
      for (const [key, link] of missing) rows.set(key, listSet(sets.get(keyOf(...link))!));
    }
    for (const partial of round) extend(partial);
    if (!joinsAll && found.size >= k) floor = Math.max(floor, keepBest().at(-1)!.degree);
  }
  for (const [key, { degree }] of found) if (degree <= above) found.delete(key);
  const ranked = keepBest();
  return {
    tuples: Int32Array.from(ranked.flatMap(({ tuple }) => [...tuple])),
    degrees: Float32Array.from(ranked, ({ degree }) => degree),
    assignments: Int32Array.from(ranked.flatMap(({ ids }) => [...ids])),
    // What was left out below the last tuple that is wanted changes nothing.
    unseen: unseen > floor ? unseen : 0,
    links: rows.size,
  };
}

function compare(a: Int32Array, b: Int32Array): number {
  const at = a.findIndex((id, i) => id !== b[i]);
  return at < 0 ? 0 : a[at]! - b[at]!;
}

/** ∧ of the highest degrees of the sets of each step and all later ones. Shape: [steps + 1]. */
function highestOfRest(
  steps: readonly PatternStep[],
  setOf: ReadonlyMap<SetQuery, ListedSet>,
  both: (a: number, b: number) => number,
): number[] {
  const rest = [1];
  for (const { set } of [...steps].reverse())
    rest.unshift(
      set === undefined
        ? rest[0]!
        : both(
            setOf.get(set)!.degrees.reduce((a, b) => Math.max(a, b), 0),
            rest[0]!,
          ),
    );
  return rest;
}

/** Which entities a relation leaves in the facts. */
function headMarks(facts: Pick<KnowledgeGraph, 'entityCount' | 'headsOf'>, relation: number): Uint8Array {
  const leaves = new Uint8Array(facts.entityCount);
  for (const head of facts.headsOf(relation)) leaves[head] = 1;
  return leaves;
}

const isLink = (condition: PlanCondition): condition is PlanLink => condition.op === 'link';
