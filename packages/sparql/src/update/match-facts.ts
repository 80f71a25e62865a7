import { FuzzError, type KnowledgeGraph, type Steps } from '@fuzzqe/core';
import type { Binding, Condition, PatternGroup, Place } from './fact-pattern.ts';

/** How many facts a millisecond of one core looks at. */
const factsPerMillisecond = 1000;

/** Facts that are looked at in one piece of work. */
const factsOfPiece = 2048;

/** What matching may take, in milliseconds of one core, and what it has taken. */
export interface MatchingCost {
  readonly limit: number;
  spent: number;
}

/**
 * Finds the solutions of a group among recorded facts: an exact join, pattern by pattern.
 *
 * @param found hears of each solution; the binding is only valid during the call, and `true` ends the search.
 * @returns whether the search was ended.
 * @throws FuzzError `cost`: more facts are looked at than may be.
 */
export function* matchFacts(
  facts: KnowledgeGraph,
  group: PatternGroup,
  binding: Binding,
  cost: MatchingCost,
  found: (binding: Binding) => boolean,
): Steps<boolean> {
  let looked = 0;
  const look = (): boolean => {
    if (++looked % factsOfPiece !== 0) return false;
    spend(cost, factsOfPiece);
    return true;
  };
  function* hold(conditions: readonly Condition[]): Steps<boolean> {
    for (const condition of conditions) {
      if ('holds' in condition) {
        if (!condition.holds(binding)) return false;
        continue;
      }
      if ((yield* begin(condition.exists, () => true)) === condition.isNegated) return false;
    }
    return true;
  }
  function* begin(of: PatternGroup, hears: typeof found): Steps<boolean> {
    return (yield* hold(of.before)) && (yield* walk(of, 0, hears));
  }
  function* walk(of: PatternGroup, depth: number, hears: typeof found): Steps<boolean> {
    const { steps } = of;
    const step = steps[depth];
    if (step === undefined) return hears(binding);
    const { pattern, conditions } = step;
    const [head, relation, tail] = [pattern.head, pattern.relation, pattern.tail].map((place) =>
      'id' in place ? place.id : binding[place.slot]!,
    ) as [number, number, number];
    for (const r of relationsBetween(facts, head, relation, tail))
      for (const h of headsOf(facts, head, r, tail))
        for (const t of tail === -1 ? facts.tails(h, r) : [tail]) {
          if (look()) yield;
          const set: number[] = [];
          const fits =
            bind(binding, pattern.head, h, set) &&
            bind(binding, pattern.relation, r, set) &&
            bind(binding, pattern.tail, t, set) &&
            (conditions.length === 0 || (yield* hold(conditions)));
          const isLast = depth + 1 === steps.length;
          const isOver = fits && (isLast ? hears(binding) : yield* walk(of, depth + 1, hears));
          for (const slot of set) binding[slot] = -1;
          if (isOver) return true;
        }
    return false;
  }
  const isOver = yield* begin(group, found);
  spend(cost, looked % factsOfPiece);
  return isOver;
}

function spend(cost: MatchingCost, facts: number): void {
  cost.spent += facts / factsPerMillisecond;
  if (cost.spent <= cost.limit) return;
  throw new FuzzError(
    'cost',
    `update: expected one that takes at most ${cost.limit} ms of one core, got one that takes longer`,
    { hint: 'Name an entity in WHERE, or write several updates; or raise costLimit.' },
  );
}

/** Gives a variable a value, or says whether the value is the one that stands there. */
function bind(binding: Binding, place: Place, value: number, set: number[]): boolean {
  if ('id' in place) return true;
  const { slot } = place;
  if (binding[slot] !== -1) return binding[slot] === value;
  binding[slot] = value;
  set.push(slot);
  return true;
}

/** The relations of facts with these ids; -1 stands for any. */
function relationsBetween(
  facts: KnowledgeGraph,
  head: number,
  relation: number,
  tail: number,
): Iterable<number> {
  if (relation !== -1) return [relation];
  if (head !== -1) return facts.relationsOf(head).filter((each) => each % 2 === 0);
  // An inverse stands after its relation.
  if (tail !== -1)
    return facts
      .relationsOf(tail)
      .filter((each) => each % 2 === 1)
      .map((each) => each - 1);
  return Array.from({ length: facts.relationCount / 2 }, (_, k) => 2 * k);
}

/** The heads of facts with these ids; -1 stands for any. */
function headsOf(facts: KnowledgeGraph, head: number, relation: number, tail: number): Iterable<number> {
  if (head === -1) return tail === -1 ? facts.headsOf(relation) : facts.tails(tail, relation + 1);
  return tail === -1 || facts.has(head, relation, tail) ? [head] : [];
}
