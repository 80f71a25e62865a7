import { changedFacts, type KnowledgeGraph, type Vocabulary } from '@fuzzqe/core';
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
  const { confidences } = facts;
  if (confidences !== undefined)
    return entailedGraph(changedFacts(facts, { removed: confidences.edges }).graph, vocabulary);
  const { count, graph } = entailedFacts(facts, axioms);
  return count === 0 ? undefined : graph;
}
