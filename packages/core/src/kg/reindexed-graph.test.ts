import { expect, it } from 'vitest';
import { changedFacts } from './changed-facts.ts';
import { confidenceOf } from './fact-confidences.ts';
import { createKnowledgeGraph } from './knowledge-graph.ts';
import { reindexedGraph } from './reindexed-graph.ts';

const before = createKnowledgeGraph({
  entityCount: 4,
  relationCount: 2,
  triples: Int32Array.of(0, 0, 1, 1, 0, 2, 3, 0, 0),
});

it('has the index of a graph that was made of the facts of now, their confidences, and room for nothing else', () => {
  const changes = { added: Int32Array.of(4, 2, 0, 2, 0, 3), removed: Int32Array.of(1, 0, 2) };
  const grown = { entityCount: 6, relationCount: 4 };
  const { graph } = changedFacts(before, { ...changes, ...grown, confidences: [0.5, 1] });
  const made = reindexedGraph(graph);
  const fresh = createKnowledgeGraph({ ...grown, triples: graph.forwardTriples() });
  expect(made.index).toEqual(fresh.index);
  expect(made.forwardTriples()).toEqual(graph.forwardTriples());
  expect([made.entityCount, made.relationCount, made.edgeCount]).toEqual([6, 4, 8]);
  expect(confidenceOf(made.confidences, 4, 2, 0)).toBe(0.5);
  // The index before knows nothing of what changed.
  expect(graph.index).not.toEqual(fresh.index);
  expect(graph.headsOf(2)).toEqual(Int32Array.of(4));
});

it('is the graph itself where nothing changed, and a graph without facts where all are gone', () => {
  expect(reindexedGraph(before)).toBe(before);
  const none = changedFacts(before, { removed: before.forwardTriples() }).graph;
  expect(reindexedGraph(none).index.tails).toHaveLength(0);
});
