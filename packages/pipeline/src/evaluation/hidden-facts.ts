import type { KnowledgeGraph, Vocabulary } from '@fuzzqe/core';
import { closedGraph, entailedGraph, factsBeyond } from '@fuzzqe/evidence';

/** Facts that a fit records, and facts that it hides. */
export interface HiddenFacts {
  readonly facts: KnowledgeGraph;
  /** The facts that declared axioms entail of `facts`; undefined if there are no such facts. */
  readonly entailed: KnowledgeGraph | undefined;
  /** Flat h, r, t: the facts of the larger graph, and those that axioms entail of it, which `facts` and `entailed` lack. */
  readonly hidden: Int32Array;
}

/** A graph with the facts that its declared axioms entail. */
export const withEntailed = (facts: KnowledgeGraph, vocabulary: Vocabulary): KnowledgeGraph =>
  closedGraph(facts, entailedGraph(facts, vocabulary));

/**
 * The recorded facts of a fit, and the facts of a larger graph that the fit hides.
 *
 * `larger` holds the facts that axioms entail of it (`withEntailed`): a candidate that axioms entail of hidden facts is right.
 */
export function hiddenFacts(
  facts: KnowledgeGraph,
  larger: KnowledgeGraph,
  vocabulary: Vocabulary,
): HiddenFacts {
  const entailed = entailedGraph(facts, vocabulary);
  return { facts, entailed, hidden: factsBeyond(larger, closedGraph(facts, entailed)) };
}
