import { FuzzError } from '../errors.ts';
import { isShared } from './adjacency.ts';
import { changedConfidences, isRejected } from './fact-confidences.ts';
import { changedValidity } from './fact-validity.ts';
import { grownGraph } from './grown-graph.ts';
import { type KnowledgeGraph, openChangedGraph } from './knowledge-graph.ts';
import { endOf, RowWriter } from './row-writer.ts';
import { sortedEdges } from './sorted-edges.ts';

/** Facts that come to a graph, and facts that leave it. */
export interface FactChanges {
  /** Flat h, r, t, in any order, with or without inverses and repetitions. Default: none. */
  readonly added?: Int32Array;
  /** How sure each of `added` is, in (0, 1]: its degree; of several of one fact the last one counts. Default: 1 each. */
  readonly confidences?: ArrayLike<number> | undefined;
  /** When each of `added` holds: flat begin, end, as `FactValidity` has them. Default: no bounds. */
  readonly validities?: ArrayLike<number> | undefined;
  /** Facts and rejected links of which nothing is known afterwards, as `added`; a fact of both is there afterwards. Default: none. */
  readonly removed?: Int32Array;
  /** Links that are no facts, as `added`: not recorded, and of degree 0. A fact that is also added is there afterwards. Default: none. */
  readonly rejected?: Int32Array;
  /** How many entities and relations there are afterwards, inverses included; never fewer than before. Default: as many as before. */
  readonly entityCount?: number | undefined;
  readonly relationCount?: number | undefined;
}

/** A graph after changes. */
export interface ChangedFacts {
  readonly graph: KnowledgeGraph;
  /** How many facts the graph has that the graph before did not have. */
  readonly added: number;
  /** How many facts and rejections the graph before had that `removed` took away. */
  readonly removed: number;
  /** How many links are rejected that were not rejected before. */
  readonly rejected: number;
}

/**
 * The graph with some facts more, some facts fewer and some links rejected; the graph before stays as it is.
 *
 * New entities and relations have the added facts only. Groups that change are written behind the arrays of the graph, and the next
 * change writes behind them. Everything else is shared with the graph before.
 * `index` stays that of the graph that was indexed first, since statistics of evidence are those of the facts that weights were fitted on.
 * Time: |E| + |R| numbers copied, the groups that change, and the heads of the relations that gain or lose a head. After changes of an eighth
 * of the edges the arrays have no room left and are copied.
 * A fact that comes has the confidence and the validity of this change, whatever its confidence and validity before.
 * Ranges: h, t in [0, |E|); r in [0, |R|).
 *
 * @throws FuzzError `data`: a length that 3 does not divide, an id out of range, a confidence out of (0, 1], an end before its beginning.
 * @example
 * const changed = changedFacts(graph, { added: Int32Array.of(0, 0, 7) });
 * changed.graph.has(0, 0, 7); // true
 */
export function changedFacts(given: KnowledgeGraph, changes: FactChanges): ChangedFacts {
  const before = grownGraph(given, changes);
  const { added: triples = noFacts, rejected: nonFacts = noFacts } = changes;
  const added = sortedEdges(before, triples);
  const judged = nonFacts.length === 0 ? added : sortedEdges(before, joined(triples, nonFacts));
  const cleared = sortedEdges(before, changes.removed);
  const removed = nonFacts.length === 0 ? cleared : sortedEdges(before, joined(changes.removed, nonFacts));
  if (added.length + removed.length === 0) return { graph: before, added: 0, removed: 0, rejected: 0 };
  const confidences = changedConfidences(
    before.confidences,
    {
      ...{ judged, removed: cleared, triples, rejects: nonFacts.length > 0 },
      given: checkConfidences(changes),
    },
    isShared(before.rows.tails),
  );
  const validity = changedValidity(
    before.validity,
    { edges: [judged, cleared], triples, given: checkValidities(changes) },
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
  const edgeCount = before.edgeCount + more - fewer;
  const isSame = more + fewer === 0 && confidences === before.confidences && validity === before.validity;
  const changed = { rows: more + fewer === 0 ? before.rows : rows, edgeCount, confidences, validity };
  const graph = isSame ? before : openChangedGraph(before, changed);
  const { rejected, factsRejected, takenBack } = countRejections(before, graph, removed);
  // Every fact is an edge in both directions.
  return { graph, added: more / 2, removed: fewer / 2 - factsRejected + takenBack, rejected };
}

const noFacts = new Int32Array();

function joined(some: Int32Array = noFacts, others: Int32Array = noFacts): Int32Array {
  const all = new Int32Array(some.length + others.length);
  all.set(some);
  all.set(others, some.length);
  return all;
}

/** What edges that go, in both directions, come to: links newly rejected, facts among them, and rejections taken back. */
function countRejections(
  { confidences, has }: KnowledgeGraph,
  after: KnowledgeGraph,
  edges: Int32Array,
): { readonly rejected: number; readonly factsRejected: number; readonly takenBack: number } {
  let [rejected, factsRejected, takenBack] = [0, 0, 0];
  if (confidences !== undefined || after.confidences !== undefined)
    for (let i = 0; i < edges.length; i += 3) {
      const [head, relation, tail] = [edges[i]!, edges[i + 1]!, edges[i + 2]!];
      if (relation % 2 === 1) continue;
      const was = isRejected(confidences, head, relation, tail);
      if (was === isRejected(after.confidences, head, relation, tail)) continue;
      if (!was) rejected += 1;
      if (!was && has(head, relation, tail)) factsRejected += 1;
      if (was && !after.has(head, relation, tail)) takenBack += 1;
    }
  return { rejected, factsRejected, takenBack };
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
        hint: 'Reject a fact that is known to be wrong.',
      });
  return confidences;
}

/** When facts that come hold. Throws: `data`. */
export function checkValidities({
  added = new Int32Array(),
  validities,
}: FactChanges): ArrayLike<number> | undefined {
  if (validities === undefined) return undefined;
  const count = added.length / 3;
  if (validities.length !== 2 * count)
    throw new FuzzError('data', `validities: expected ${2 * count} moments, got ${validities.length}`, {
      hint: 'Give a beginning and an end for each fact that is added.',
    });
  for (let i = 0; i < count; i += 1)
    if (!(validities[2 * i]! <= validities[2 * i + 1]!))
      throw new FuzzError(
        'data',
        `validity: expected an end that is not before ${validities[2 * i]}, got ${validities[2 * i + 1]}`,
        { path: `validities[${i}]`, hint: 'A fact without a beginning or an end has −∞ or ∞ there.' },
      );
  return validities;
}
