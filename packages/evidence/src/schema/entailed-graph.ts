import { changedFacts, type KnowledgeGraph, type Vocabulary } from '@fuzzqe/core';
import type { Axiom } from './axiom.ts';
import { declaredAxioms } from './declared-axioms.ts';
import { entailedFacts } from './entailed-facts.ts';

/**
 * The facts that the declared axioms of a graph entail and that are not recorded; undefined where it declares none that entails a fact.
 *
 * Nothing follows from facts that are less than certain.
 */
export function entailedGraph(facts: KnowledgeGraph, vocabulary: Vocabulary): KnowledgeGraph | undefined {
  const axioms = declaredAxioms(facts, vocabulary);
  // Without axioms nothing is to be left out.
  if (axioms.length === 0) return undefined;
  const certain = certainFacts(facts);
  return entailedBy(certain, certain === facts ? axioms : declaredAxioms(certain, vocabulary));
}

/** As `entailedGraph`, by axioms that are known. */
export function entailedBy(facts: KnowledgeGraph, axioms: readonly Axiom[]): KnowledgeGraph | undefined {
  const { count, graph } = entailedFacts(certainFacts(facts), axioms);
  return count === 0 ? undefined : graph;
}

/** The axioms that certain facts of a graph declare, by which other facts are entailed at other moments; undefined if every fact always holds. */
export function datedAxioms(facts: KnowledgeGraph, vocabulary: Vocabulary): readonly Axiom[] | undefined {
  return facts.validity && declaredAxioms(certainFacts(facts), vocabulary);
}

function certainFacts(facts: KnowledgeGraph): KnowledgeGraph {
  const { confidences } = facts;
  return confidences === undefined ? facts : changedFacts(facts, { removed: confidences.edges }).graph;
}
