import { changedFacts, FuzzError, type KnowledgeGraph, type Steps } from '@fuzzqe/core';
import type { Binding, FactPattern, Place, UpdateOperation } from './fact-pattern.ts';
import { type MatchingCost, matchFacts } from './match-facts.ts';

/** A change of a fact by ids. */
export interface IdChange {
  readonly does: 'add' | 'remove';
  readonly head: number;
  readonly relation: number;
  readonly tail: number;
}

/** What the changes of an update may be. */
export interface UpdateLimits {
  /** The most changes. */
  readonly changes: number;
  readonly cost: MatchingCost;
}

/**
 * The changes that an update makes: each operation sees the facts that the operations before it leave.
 *
 * Within one operation, facts go before facts come. Of several changes of a fact, only the last is left.
 *
 * @throws FuzzError `range`: too many changes. `cost`: too many facts are looked at.
 */
export function* runUpdate(
  operations: readonly UpdateOperation[],
  facts: KnowledgeGraph,
  limits: UpdateLimits,
): Steps<readonly IdChange[]> {
  const net = new Map<string, IdChange>();
  let seen = facts;
  let isSeen = true;
  for (const { remove, add, where, slots } of operations) {
    const removed = new Map<string, IdChange>();
    const added = new Map<string, IdChange>();
    const binding: Binding = new Int32Array(slots).fill(-1);
    const take = (): boolean => {
      for (const pattern of remove) put(removed, changeOf('remove', pattern, binding));
      for (const pattern of add) put(added, changeOf('add', pattern, binding));
      expectFew(removed.size + added.size, limits.changes);
      return false;
    };
    if (where === undefined) take();
    else {
      if (!isSeen) seen = graphAfter(facts, net);
      isSeen = true;
      yield* matchFacts(seen, where, binding, limits.cost, take);
    }
    for (const changes of [removed, added])
      for (const [fact, change] of changes) {
        net.delete(fact);
        net.set(fact, change);
        isSeen = false;
      }
    expectFew(net.size, limits.changes);
    yield;
  }
  return [...net.values()];
}

function put(changes: Map<string, IdChange>, change: IdChange): void {
  changes.set(`${change.head} ${change.relation} ${change.tail}`, change);
}

function changeOf(does: IdChange['does'], { head, relation, tail }: FactPattern, binding: Binding): IdChange {
  const value = (place: Place): number => ('id' in place ? place.id : binding[place.slot]!);
  return { does, head: value(head), relation: value(relation), tail: value(tail) };
}

function graphAfter(facts: KnowledgeGraph, net: ReadonlyMap<string, IdChange>): KnowledgeGraph {
  const triples = (wanted: IdChange['does']): Int32Array =>
    Int32Array.from(
      [...net.values()].flatMap(({ does, head, relation, tail }) =>
        does === wanted ? [head, relation, tail] : [],
      ),
    );
  return changedFacts(facts, { added: triples('add'), removed: triples('remove') }).graph;
}

function expectFew(count: number, most: number): void {
  if (count <= most) return;
  throw new FuzzError('range', `update: expected at most ${most} changes, got more`, {
    hint: 'Write several updates, or raise batchLines.',
  });
}
