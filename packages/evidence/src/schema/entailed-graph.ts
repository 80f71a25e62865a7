import type { KnowledgeGraph, Vocabulary } from '@fuzzqe/core';
import { declaredAxioms } from './declared-axioms.ts';
import { entailedFacts } from './entailed-facts.ts';

/** The facts that the declared axioms of a graph entail and that are not recorded; undefined where it declares none that entails a fact. */
export function entailedGraph(facts: KnowledgeGraph, vocabulary: Vocabulary): KnowledgeGraph | undefined {
  const axioms = declaredAxioms(facts, vocabulary);
  if (axioms.length === 0) return undefined;
  const { count, graph } = entailedFacts(facts, axioms);
  return count === 0 ? undefined : graph;
}
