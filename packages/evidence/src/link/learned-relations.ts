import { type KnowledgeGraph, reindexedGraph } from '@fuzzqe/core';
import { mineNewRelation } from '../mining/mine-new-relation.ts';
import { createRuleIndex, type RuleIndex } from '../rules/rule-index.ts';
import { fitNewRelation } from './fit-new-relation.ts';
import type { LinkWeights } from './link-weights.ts';

/** Rules and weights of relations that came later, each made from the facts of one graph when it is first asked for. */
export interface LearnedRelations {
  /** The rules of a relation 2k and of its inverse. */
  rulesOf(relation: number): RuleIndex;
  /** The weights of a relation 2k and of its inverse. */
  weightsOf(relation: number): Promise<LinkWeights>;
  /** Itself, or what is learned from another graph if relations from `first` on have other facts there. */
  following(facts: KnowledgeGraph): LearnedRelations;
}

/**
 * Learns relations that came later, from `first` on.
 *
 * What is learned follows from the graph alone, whenever a caller asks. So threads that follow the same changes learn the same.
 */
export function learnRelations(
  facts: KnowledgeGraph,
  first: number,
  typeRelations: readonly number[],
): LearnedRelations {
  const learned: LearnedRelations = {
    rulesOf: onceEach((relation) => createRuleIndex(mineNewRelation(reindexedGraph(facts), relation))),
    weightsOf: onceEach((relation) => fitNewRelation(reindexedGraph(facts), relation, typeRelations)),
    following: (others) =>
      haveSameFacts(facts, others, first) ? learned : learnRelations(others, first, typeRelations),
  };
  return learned;
}

/** Whether two graphs have the same facts of the relations from `first` on. */
function haveSameFacts(a: KnowledgeGraph, b: KnowledgeGraph, first: number): boolean {
  if (a.relationCount !== b.relationCount) return false;
  for (let relation = first; relation < a.relationCount; relation += 2) {
    const heads = a.headsOf(relation);
    if (!areSame(heads, b.headsOf(relation))) return false;
    if (!heads.every((head) => areSame(a.tails(head, relation), b.tails(head, relation)))) return false;
  }
  return true;
}

function areSame(a: Int32Array, b: Int32Array): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}

/** What is made once for each relation. */
export function onceEach<Made>(make: (relation: number) => Made): (relation: number) => Made {
  const all = new Map<number, Made>();
  return (relation) => {
    const made = all.get(relation) ?? make(relation);
    all.set(relation, made);
    return made;
  };
}
