import { FuzzError } from '../errors.ts';
import { buildAdjacency } from './adjacency.ts';
import { changedConfidences } from './fact-confidences.ts';
import { grownGraph } from './grown-graph.ts';
import { checkTriples, type KnowledgeGraph, openChangedGraph } from './knowledge-graph.ts';
import { endOf, isShared, RowWriter } from './row-writer.ts';

/** Facts that come to a graph, and facts that leave it. */
export interface FactChanges {
  /** Flat h, r, t, in any order, with or without inverses and repetitions. Default: none. */
  readonly added?: Int32Array;
  /** How sure each of `added` is, in (0, 1]: its degree; of several of one fact the last one counts. Default: 1 each. */
  readonly confidences?: ArrayLike<number> | undefined;
  /** As `added`. A fact of both is there afterwards. Default: none. */
  readonly removed?: Int32Array;
  /** How many entities and relations there are afterwards, inverses included; never fewer than before. Default: as many as before. */
  readonly entityCount?: number | undefined;
  readonly relationCount?: number | undefined;
}

/** A graph after changes. */
export interface ChangedFacts {
  readonly graph: KnowledgeGraph;
  /** How many facts the graph has that the graph before did not have. */
  readonly added: number;
  /** How many facts the graph lacks that the graph before had. */
  readonly removed: number;
}

/**
 * The graph with some facts more and some facts fewer; the graph before stays as it is.
 *
 * New entities and relations have the added facts only. Groups that change are written behind the arrays of the graph, and the next
 * change writes behind them. Everything else is shared with the graph before.
 * `index` stays that of the graph that was indexed first, since statistics of evidence are those of the facts that weights were fitted on.
 * Time: |E| + |R| numbers copied, the groups that change, and the heads of the relations that gain or lose a head. After changes of an eighth
 * of the edges the arrays have no room left and are copied.
 * A fact that comes has the confidence of this change, whatever the confidence before.
 * Ranges: h, t in [0, |E|); r in [0, |R|).
 *
 * @throws FuzzError `data`: a length that 3 does not divide, an id out of range, a confidence out of (0, 1].
 * @example
 * const changed = changedFacts(graph, { added: Int32Array.of(0, 0, 7) });
 * changed.graph.has(0, 0, 7); // true
 */
export function changedFacts(given: KnowledgeGraph, changes: FactChanges): ChangedFacts {
  const before = grownGraph(given, changes);
  const added = sortedEdges(before, changes.added);
  const removed = sortedEdges(before, changes.removed);
  if (added.length + removed.length === 0) return { graph: before, added: 0, removed: 0 };
  const confidences = changedConfidences(
    before.confidences,
    { added, removed, triples: changes.added ?? added, given: checkConfidences(changes) },
    isShared(before.rows.tails),
  );
  const writer = new RowWriter(before, [added, removed]);
  for (let [a, r] = [0, 0]; a < added.length || r < removed.length; ) {
    const head = Math.min(added[a] ?? Infinity, removed[r] ?? Infinity);
    const [aEnd, rEnd] = [endOf(added, a, 'head', head), endOf(removed, r, 'head', head)];
    writer.writeHead(head, added.subarray(a, aEnd), removed.subarray(r, rEnd));
    [a, r] = [aEnd, rEnd];
  }
  const { rows, more, fewer } = writer.finish();
  const { edgeCount } = before;
  if (more + fewer === 0) {
    const isSame = confidences === before.confidences;
    const graph = isSame ? before : openChangedGraph(before, { rows: before.rows, edgeCount, confidences });
    return { graph, added: 0, removed: 0 };
  }
  return {
    graph: openChangedGraph(before, { rows, edgeCount: edgeCount + more - fewer, confidences }),
    // Every fact is an edge in both directions.
    added: more / 2,
    removed: fewer / 2,
  };
}

/** The confidences of facts that come. Throws: `data`. */
export function checkConfidences({
  added = new Int32Array(),
  confidences,
}: FactChanges): ArrayLike<number> | undefined {
  if (confidences === undefined) return undefined;
  const count = added.length / 3;
  if (confidences.length !== count)
    throw new FuzzError('data', `confidences: expected ${count}, got ${confidences.length}`, {
      hint: 'Give one for each fact that is added.',
    });
  for (let i = 0; i < count; i += 1)
    if (!(confidences[i]! > 0 && confidences[i]! <= 1))
      throw new FuzzError('data', `confidence: expected a number in (0, 1], got ${confidences[i]}`, {
        path: `confidences[${i}]`,
        hint: 'Remove a fact that is known to be wrong.',
      });
  return confidences;
}

/** From so many facts on an index sorts faster than comparisons do. */
const fewFacts = 2 ** 12;

/** The edges of facts in both directions, each once, flat h, r, t in ascending order. */
function sortedEdges(graph: KnowledgeGraph, triples: Int32Array = new Int32Array()): Int32Array {
  if (triples.length === 0) return triples;
  checkTriples(triples, graph);
  const count = triples.length / 3;
  const edges = new Int32Array(6 * count);
  if (count >= fewFacts) {
    const { entityCount, relationCount } = graph;
    const { headOffsets, groupRelations, groupOffsets, tails } = buildAdjacency(
      entityCount,
      relationCount,
      triples,
    );
    let next = 0;
    for (let head = 0; head < entityCount; head += 1)
      for (let group = headOffsets[head]!; group < headOffsets[head + 1]!; group += 1)
        for (let edge = groupOffsets[group]!; edge < groupOffsets[group + 1]!; edge += 1, next += 3) {
          edges[next] = head;
          edges[next + 1] = groupRelations[group]!;
          edges[next + 2] = tails[edge]!;
        }
    return edges.subarray(0, next);
  }
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
