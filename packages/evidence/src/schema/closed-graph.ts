import { createKnowledgeGraph, type KnowledgeGraph } from '@fuzzqe/core';

/** The recorded facts and the facts that `entailedGraph` gives of them, as one graph; the graph itself where nothing is entailed. */
export function closedGraph(facts: KnowledgeGraph, entailed: KnowledgeGraph | undefined): KnowledgeGraph {
  if (entailed === undefined) return facts;
  const { entityCount, relationCount } = facts;
  const [recorded, added] = [facts.forwardTriples(), entailed.forwardTriples()];
  const triples = new Int32Array(recorded.length + added.length);
  triples.set(recorded);
  triples.set(added, recorded.length);
  return createKnowledgeGraph({ entityCount, relationCount, triples });
}
