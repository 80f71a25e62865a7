import { changedFacts } from './changed-facts.ts';
import type { FactValidity } from './fact-validity.ts';
import { keptBy } from './kept-by.ts';
import { type KnowledgeGraph, openChangedGraph } from './knowledge-graph.ts';

/** The moments at which some fact begins or ends, ascending. */
const momentsOf = keptBy(({ moments }: FactValidity) => moments.filter(Number.isFinite).sort());

/**
 * How many moments at which some fact begins or ends are not after a moment: moments with the same number have the same facts.
 *
 * Time: one binary search, and a sort for each validity.
 */
export function periodAt(validity: FactValidity, moment: number): number {
  const moments = momentsOf(validity);
  let [low, high] = [0, moments.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (moments[middle]! <= moment) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The graph with the facts that hold at a moment, which have no bounds there; the graph itself if all do. Facts without bounds always hold.
 *
 * Time: all facts with bounds, and as `changedFacts` for the facts that do not hold.
 *
 * @example
 * const { graph } = changedFacts(before, { added: Int32Array.of(0, 0, 7), validities: [1990, 2000] });
 * factsAt(graph, 2000).has(0, 0, 7); // false
 */
export function factsAt(graph: KnowledgeGraph, moment: number): KnowledgeGraph {
  if (graph.validity === undefined) return graph;
  const { triples, moments } = graph.validity;
  const removed = triples.filter((_, i) => {
    const place = 2 * Math.floor(i / 3);
    return !(moments[place]! <= moment && moment < moments[place + 1]!);
  });
  if (removed.length === 0) return graph;
  const { rows, edgeCount, confidences } = graph;
  // Without bounds, of which the removed facts would take theirs away one by one.
  return changedFacts(openChangedGraph(graph, { rows, edgeCount, confidences }), { removed }).graph;
}
