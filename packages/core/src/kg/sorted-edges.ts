import { buildAdjacency } from './adjacency.ts';
import { checkTriples, type KnowledgeGraph } from './knowledge-graph.ts';

/** From so many facts on an index sorts faster than comparisons do. */
const fewFacts = 2 ** 12;

/** The edges of facts in both directions, each once, flat h, r, t in ascending order. Throws: `data`, as `checkTriples`. */
export function sortedEdges(graph: KnowledgeGraph, triples: Int32Array = new Int32Array()): Int32Array {
  if (triples.length === 0) return triples;
  checkTriples(triples, graph);
  const count = triples.length / 3;
  if (count >= fewFacts) return indexedEdges(graph, triples);
  const edges = new Int32Array(6 * count);
  for (let i = 0; i < count; i += 1) {
    const [head, relation, tail] = [triples[3 * i]!, triples[3 * i + 1]!, triples[3 * i + 2]!];
    edges.set([head, relation, tail, tail, relation ^ 1, head], 6 * i);
  }
  const compare = (i: number, j: number): number =>
    edges[3 * i]! - edges[3 * j]! ||
    edges[3 * i + 1]! - edges[3 * j + 1]! ||
    edges[3 * i + 2]! - edges[3 * j + 2]!;
  const sorted = new Int32Array(edges.length);
  let [next, last] = [0, -1];
  for (const edge of new Int32Array(2 * count).map((_, i) => i).sort(compare)) {
    if (last >= 0 && compare(last, edge) === 0) continue;
    sorted.set(edges.subarray(3 * edge, 3 * edge + 3), next);
    [next, last] = [next + 3, edge];
  }
  return sorted.subarray(0, next);
}

/** The same edges by way of an index, for facts of the graph. Time and memory: as `createKnowledgeGraph`. */
export function indexedEdges(
  { entityCount, relationCount }: Pick<KnowledgeGraph, 'entityCount' | 'relationCount'>,
  triples: Int32Array,
): Int32Array {
  const { headOffsets, groupRelations, groupOffsets, tails } = buildAdjacency(
    entityCount,
    relationCount,
    triples,
  );
  const edges = new Int32Array(3 * tails.length);
  let next = 0;
  for (let head = 0; head < entityCount; head += 1)
    for (let group = headOffsets[head]!; group < headOffsets[head + 1]!; group += 1)
      for (let edge = groupOffsets[group]!; edge < groupOffsets[group + 1]!; edge += 1) {
        edges[next++] = head;
        edges[next++] = groupRelations[group]!;
        edges[next++] = tails[edge]!;
      }
  return edges;
}
