import { isShared } from './adjacency.ts';
import { changedValidity } from './fact-validity.ts';
import { type KnowledgeGraph, openChangedGraph } from './knowledge-graph.ts';

/**
 * The graph in which recorded facts hold at other times; every other fact keeps its bounds.
 *
 * As `changedFacts` for facts that are there, without the code that writes rows. Shapes: triples [3 × n], moments [2 × n].
 * Ranges: facts of the graph; no end before its beginning.
 * @example
 * const dated = datedGraph(graph, graph.forwardTriples().subarray(0, 3), [1990, 2000]);
 */
export function datedGraph(
  graph: KnowledgeGraph,
  triples: Int32Array,
  moments: ArrayLike<number>,
): KnowledgeGraph {
  const { rows, edgeCount, confidences } = graph;
  const changes = { edges: [triples], triples, given: moments };
  const validity = changedValidity(graph.validity, changes, isShared(rows.tails));
  return validity === graph.validity
    ? graph
    : openChangedGraph(graph, { rows, edgeCount, confidences, validity });
}
