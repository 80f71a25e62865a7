import { createKnowledgeGraph, type KnowledgeGraph, type Vocabulary } from '@fuzzqe/core';
import { entailedGraph } from './entailed-graph.ts';

/** The recorded facts and those that the declared axioms of the graph entail, as one graph; the graph itself where nothing is entailed. */
export function closedGraph(facts: KnowledgeGraph, vocabulary: Vocabulary): KnowledgeGraph {
  const entailed = entailedGraph(facts, vocabulary);
  if (entailed === undefined) return facts;
  const { entityCount, relationCount } = facts;
  const [recorded, added] = [facts.forwardTriples(), entailed.forwardTriples()];
  const triples = new Int32Array(recorded.length + added.length);
  triples.set(recorded);
  triples.set(added, recorded.length);
  return createKnowledgeGraph({ entityCount, relationCount, triples });
}
