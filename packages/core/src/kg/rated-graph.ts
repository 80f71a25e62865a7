import { isShared } from './adjacency.ts';
import { changedConfidences } from './fact-confidences.ts';
import { type KnowledgeGraph, openChangedGraph } from './knowledge-graph.ts';
import { indexedEdges } from './sorted-edges.ts';

/**
 * The graph in which recorded facts have other confidences; every other fact keeps its confidence.
 *
 * As `changedFacts` for facts that are there, without the code that writes rows. Shapes: triples [3 × n], degrees [n].
 * Ranges: facts of the graph; degrees in (0, 1].
 * @example
 * const rated = ratedGraph(graph, graph.forwardTriples().subarray(0, 3), [0.5]);
 */
export function ratedGraph(
  graph: KnowledgeGraph,
  triples: Int32Array,
  degrees: ArrayLike<number>,
): KnowledgeGraph {
  const { rows, edgeCount, validity } = graph;
  const judged = indexedEdges(graph, triples);
  const removed = new Int32Array();
  const confidences = changedConfidences(
    graph.confidences,
    { judged, removed, triples, rejects: false, given: degrees },
    isShared(rows.tails),
  );
  return confidences === graph.confidences
    ? graph
    : openChangedGraph(graph, { rows, edgeCount, confidences, validity });
}
