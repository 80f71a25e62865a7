import type { KnowledgeGraph, Vocabulary } from '@fuzzqe/core';
import { entailedGraph } from '@fuzzqe/evidence';

/** Gives the facts that the declared axioms of facts entail; undefined where facts declare no axiom that entails a fact. */
export function entailedBy(vocabulary: Vocabulary): (facts: KnowledgeGraph) => KnowledgeGraph | undefined {
  return (facts) => entailedGraph(facts, vocabulary);
}
