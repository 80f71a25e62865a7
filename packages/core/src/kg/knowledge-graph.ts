import { FuzzError } from '../errors.ts';
import { describeValue } from '../input/describe-value.ts';
import { expectOptions } from '../input/expect-options.ts';
import { type AdjacencyIndex, buildAdjacency, type IndexMemory, isShared, mostFacts } from './adjacency.ts';
import { buildAscendingAdjacency } from './ascending-adjacency.ts';
import type { FactConfidences } from './fact-confidences.ts';
import { type FactRows, findGroup, placeOf, rowsOf } from './fact-rows.ts';
import type { FactValidity } from './fact-validity.ts';

/**
 * An immutable graph of facts, indexed for following relations forwards and backwards.
 *
 * Every fact (h, r, t) is stored twice: as h -r-> t and as t -inverse(r)-> h. Ids out of range have no edges.
 * The arrays returned are views of the index, in ascending order; writing to them breaks the graph.
 */
export interface KnowledgeGraph {
  readonly entityCount: number;
  /** How many relations there are, inverses included: always even. */
  readonly relationCount: number;
  /** How many directed edges there are, inverses included: twice the number of facts. */
  readonly edgeCount: number;
  /** How many of the triples given repeated a fact that had been given, in whichever direction. */
  readonly duplicateCount: number;
  /** The arrays behind the methods, for inner loops that cannot afford a view a step. */
  readonly rows: FactRows;
  /** The facts that are less than certain; undefined where every fact has degree 1. */
  readonly confidences?: FactConfidences | undefined;
  /** When facts hold; undefined if every fact always holds. `factsAt` asks it, and nothing else. */
  readonly validity?: FactValidity | undefined;
  /** The facts as they were indexed first, without those of `changedFacts`: for statistics, and for what follows edges by their numbers. */
  readonly index: AdjacencyIndex;
  /** Where `relation` leads to from `head`. */
  tails(head: number, relation: number): Int32Array;
  has(head: number, relation: number, tail: number): boolean;
  /** The distinct relations that leave `head`. */
  relationsOf(head: number): Int32Array;
  /** How many directed edges leave `head`. */
  degree(head: number): number;
  /** The distinct entities that `relation` leaves. */
  headsOf(relation: number): Int32Array;
  /** The facts: flat h, r, t with even r, sorted by head, relation, tail. A fresh array. */
  forwardTriples(): Int32Array;
  /** The graph with the facts of both; both must have the same entities and relations. */
  union(other: KnowledgeGraph): KnowledgeGraph;
}

/** What a graph is made from. */
export interface KnowledgeGraphInput extends IndexMemory {
  readonly entityCount: number;
  /** How many relations there are, inverses included: 2k is the k-th relation and 2k+1 its inverse. */
  readonly relationCount: number;
  /** Flat h, r, t, h, r, t, … in any order, with or without inverses and repetitions. */
  readonly triples: Int32Array;
}

/**
 * Indexes facts as a graph.
 *
 * Shapes: triples [3 × n]; time O(n), and half of it where they are in ascending order, each once and without inverses;
 * memory at most 20 bytes a directed edge, and 8 more while it is indexed.
 * Ranges: h, t in [0, entityCount); r in [0, relationCount).
 *
 * @throws FuzzError `data`: no triples or more than 2³⁰ − 1, a length that 3 does not divide, counts out of range, an id out of range.
 * @example
 * // Two entities, one relation and its inverse; the fact (0, 0, 1).
 * const graph = createKnowledgeGraph({ entityCount: 2, relationCount: 2, triples: Int32Array.of(0, 0, 1) });
 * graph.tails(0, 0); // Int32Array [ 1 ]
 */
export function createKnowledgeGraph(input: KnowledgeGraphInput): KnowledgeGraph {
  expectOptions('createKnowledgeGraph', input, [], 'data');
  checkInput(input);
  const { entityCount, relationCount, triples } = input;
  const build = areAscending(triples) ? buildAscendingAdjacency : buildAdjacency;
  const index = build(entityCount, relationCount, triples, input);
  return graphOfIndex({ entityCount, relationCount, index }, triples.length / 3 - index.tails.length / 2);
}

/** Whether facts stand in ascending order, each once, along even relations. */
function areAscending(triples: Int32Array): boolean {
  let [lastHead, lastRelation, lastTail] = [-1, -1, -1];
  for (let i = 0; i < triples.length; i += 3) {
    const [head, relation, tail] = [triples[i]!, triples[i + 1]!, triples[i + 2]!];
    if ((relation & 1) === 1) return false;
    if ((head - lastHead || relation - lastRelation || tail - lastTail) <= 0) return false;
    [lastHead, lastRelation, lastTail] = [head, relation, tail];
  }
  return true;
}

/** The graph of facts as `decodeFacts` returns them, which are not checked again: in ascending order, each once. */
export function graphOfFacts({
  entityCount,
  relationCount,
  triples,
  ...memory
}: KnowledgeGraphInput): KnowledgeGraph {
  const index = buildAscendingAdjacency(entityCount, relationCount, triples, memory);
  return openKnowledgeGraph({ entityCount, relationCount, index });
}

/** What a graph has that was indexed before. */
export type IndexedGraph = Pick<
  KnowledgeGraph,
  'entityCount' | 'relationCount' | 'index' | 'confidences' | 'validity'
>;

/** The graph of an index that `createKnowledgeGraph` made, such as one in memory that threads share. */
export function openKnowledgeGraph(indexed: IndexedGraph): KnowledgeGraph {
  return graphOfIndex(indexed, 0);
}

/** A graph of which no facts are recorded, as of a bundle without them. */
export function emptyKnowledgeGraph(entityCount: number, relationCount: number): KnowledgeGraph {
  const index = buildAdjacency(entityCount, relationCount, new Int32Array());
  return openKnowledgeGraph({ entityCount, relationCount, index });
}

/** The same graph with its index in memory that threads share instead of copying it: itself where it lies there already. */
export function shareGraph(graph: KnowledgeGraph): KnowledgeGraph {
  const { entityCount, relationCount, index, confidences, validity } = graph;
  if (isShared(index.tails)) return graph;
  const shared = (values: Int32Array): Int32Array => {
    const copy = new Int32Array(new SharedArrayBuffer(values.byteLength));
    copy.set(values);
    return copy;
  };
  const copies: AdjacencyIndex = {
    headOffsets: shared(index.headOffsets),
    groupRelations: shared(index.groupRelations),
    groupOffsets: shared(index.groupOffsets),
    tails: shared(index.tails),
    relationOffsets: shared(index.relationOffsets),
    relationGroups: shared(index.relationGroups),
    relationHeads: shared(index.relationHeads),
  };
  return openKnowledgeGraph({ entityCount, relationCount, index: copies, confidences, validity });
}

function graphOfIndex(indexed: IndexedGraph, duplicateCount: number): KnowledgeGraph {
  const { index } = indexed;
  return graphOfRows({ ...indexed, rows: rowsOf(index), edgeCount: index.tails.length, duplicateCount });
}

/** What of a graph changes with its facts. */
export type ChangedRows = Pick<KnowledgeGraph, 'rows' | 'edgeCount' | 'confidences' | 'validity'>;

/** The graph of rows that `changedFacts` wrote, such as rows in memory that threads share. */
export function openChangedGraph(
  { entityCount, relationCount, index }: IndexedGraph,
  { rows, edgeCount, confidences, validity }: ChangedRows,
): KnowledgeGraph {
  return graphOfRows({
    ...{ entityCount, relationCount, index, rows, edgeCount, duplicateCount: 0 },
    ...(confidences === undefined ? {} : { confidences }),
    ...(validity === undefined ? {} : { validity }),
  });
}

function graphOfRows(
  of: IndexedGraph & ChangedRows & Pick<KnowledgeGraph, 'duplicateCount'>,
): KnowledgeGraph {
  const { entityCount, relationCount, rows, edgeCount } = of;
  const { headStarts, headEnds, groupRelations, groupStarts, groupEnds, tails } = rows;
  const { relationStarts, relationEnds, relationHeads } = rows;
  return {
    ...of,
    tails(head, relation) {
      const group = findGroup(rows, head, relation);
      if (group < 0) return tails.subarray(0, 0);
      return tails.subarray(groupStarts[group]!, groupEnds[group]!);
    },
    has(head, relation, tail) {
      const group = findGroup(rows, head, relation);
      return group >= 0 && placeOf(tails, tail, groupStarts[group]!, groupEnds[group]!) >= 0;
    },
    relationsOf(head) {
      return groupRelations.subarray(headStarts[head] ?? 0, headEnds[head] ?? 0);
    },
    degree(head) {
      let edges = 0;
      const end = headEnds[head] ?? 0;
      for (let group = headStarts[head] ?? 0; group < end; group++)
        edges += groupEnds[group]! - groupStarts[group]!;
      return edges;
    },
    headsOf(relation) {
      return relationHeads.subarray(relationStarts[relation] ?? 0, relationEnds[relation] ?? 0);
    },
    forwardTriples: () => forwardTriples(rows, edgeCount / 2),
    union(other) {
      if (other.entityCount !== entityCount || other.relationCount !== relationCount) {
        throw new FuzzError(
          'data',
          `union of graphs: expected ${entityCount} entities and ${relationCount} relations, ` +
            `got ${other.entityCount} and ${other.relationCount}`,
          { hint: 'Number the entities and relations of both graphs with one vocabulary.' },
        );
      }
      const mine = forwardTriples(rows, edgeCount / 2);
      const theirs = other.forwardTriples();
      const both = new Int32Array(mine.length + theirs.length);
      both.set(mine);
      both.set(theirs, mine.length);
      return createKnowledgeGraph({ entityCount, relationCount, triples: both });
    },
  };
}

function forwardTriples(
  { headStarts, headEnds, groupRelations, groupStarts, groupEnds, tails }: FactRows,
  factCount: number,
): Int32Array {
  const triples = new Int32Array(factCount * 3);
  let next = 0;
  for (let head = 0; head < headStarts.length; head++) {
    for (let group = headStarts[head]!; group < headEnds[head]!; group++) {
      const relation = groupRelations[group]!;
      if (relation % 2 === 1) continue;
      for (let edge = groupStarts[group]!; edge < groupEnds[group]!; edge++) {
        triples[next++] = head;
        triples[next++] = relation;
        triples[next++] = tails[edge]!;
      }
    }
  }
  return triples;
}

const threes = 'Lay them out as h, r, t, h, r, t, …';
/** Numbers of int32. */
const mostIds = 2 ** 31 - 1;

function checkInput({ entityCount, relationCount, triples }: KnowledgeGraphInput): void {
  const isCount = (count: number): boolean => Number.isInteger(count) && count >= 1 && count <= mostIds;
  if (!isCount(entityCount))
    throw new FuzzError(
      'data',
      `entityCount: expected an integer in [1, ${mostIds}], got ${describeValue(entityCount)}`,
      { hint: 'A graph needs at least one entity.' },
    );
  if (!isCount(relationCount) || relationCount % 2 === 1)
    throw new FuzzError(
      'data',
      `relationCount: expected an even integer in [1, ${mostIds}], got ${describeValue(relationCount)}`,
      { hint: 'Count every relation twice: 2k is the k-th relation and 2k+1 its inverse.' },
    );
  if (triples instanceof Int32Array && triples.length === 0)
    throw new FuzzError('data', 'triples: expected at least one, got none', {
      hint: 'Is the input file empty?',
    });
  checkTriples(triples, { entityCount, relationCount });
}

/** @throws FuzzError `data`: no Int32Array, more than 2³⁰ − 1 triples, a length that 3 does not divide, an id out of range. */
export function checkTriples(
  triples: Int32Array,
  { entityCount, relationCount }: Pick<KnowledgeGraph, 'entityCount' | 'relationCount'>,
): void {
  const bad = (message: string, hint: string, path?: string): never => {
    throw new FuzzError('data', message, path === undefined ? { hint } : { hint, path });
  };
  if (!(triples instanceof Int32Array))
    bad(`triples: expected an Int32Array, got ${describeValue(triples)}`, threes);
  if (triples.length % 3 !== 0)
    bad(`triples: expected a length that 3 divides, got ${triples.length}`, threes);
  if (triples.length / 3 > mostFacts)
    bad(
      `triples: expected at most ${mostFacts}, got ${triples.length / 3}`,
      'Leave out facts that no question needs, or make several graphs.',
    );
  for (let i = 0; i < triples.length; i += 3) {
    const [head, relation, tail] = [triples[i]!, triples[i + 1]!, triples[i + 2]!];
    if (head >= 0 && head < entityCount && tail >= 0 && tail < entityCount) {
      if (relation >= 0 && relation < relationCount) continue;
      bad(
        `relation: expected an id in [0, ${relationCount}), got ${relation}`,
        'relationCount counts inverses.',
        `triples[${i / 3}]`,
      );
    }
    const [name, got] = head >= 0 && head < entityCount ? ['tail', tail] : ['head', head];
    bad(
      `${name}: expected an id in [0, ${entityCount}), got ${got}`,
      'Is entityCount that of the whole vocabulary?',
      `triples[${i / 3}]`,
    );
  }
}
