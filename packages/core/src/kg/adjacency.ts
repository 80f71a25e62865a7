/**
 * Directed edges sorted by (head, relation, tail) and gathered into groups: one group for each (head, relation).
 *
 * Group g holds the edges from groupHeads[g] along groupRelations[g] to tails[groupOffsets[g] … groupOffsets[g + 1]).
 * Shapes: E entities, R relations, G groups, N directed edges.
 */
export interface AdjacencyIndex {
  /** [E + 1]: the groups of head h are headOffsets[h] … headOffsets[h + 1), relations ascending. */
  readonly headOffsets: Int32Array;
  /** [G] */
  readonly groupRelations: Int32Array;
  /** [G + 1] */
  readonly groupOffsets: Int32Array;
  /** [N], ascending within a group. */
  readonly tails: Int32Array;
  /** [R + 1]: the groups of relation r are relationGroups[relationOffsets[r] … relationOffsets[r + 1]), heads ascending. */
  readonly relationOffsets: Int32Array;
  /** [G] */
  readonly relationGroups: Int32Array;
  /** [G]: the heads of relationGroups. */
  readonly relationHeads: Int32Array;
}

/** Where the arrays of an index lie. */
export interface IndexMemory {
  /** In memory that threads share instead of copying it. Default false: not every page of a browser has such memory. */
  readonly shared?: boolean;
}

/** Allocates the arrays of an index. */
export function allocateIn(shared: boolean): (length: number) => Int32Array {
  return (length) => (shared ? new Int32Array(new SharedArrayBuffer(4 * length)) : new Int32Array(length));
}

/** Whether numbers lie in memory that threads share. */
export function isShared(values: Int32Array): boolean {
  return typeof SharedArrayBuffer !== 'undefined' && values.buffer instanceof SharedArrayBuffer;
}

/** The most facts of a graph: both directions of each are numbered by int32. */
export const mostFacts: number = 2 ** 30 - 1;

/**
 * Sorts facts and their inverses into an adjacency index, once each.
 *
 * Ranges: ids as checked by `createKnowledgeGraph`. Time O(N + E + R): three counting sorts. Memory apart from the index and the
 * triples: 8N bytes while it runs.
 */
export function buildAdjacency(
  entityCount: number,
  relationCount: number,
  triples: Int32Array,
  { shared = false }: IndexMemory = {},
): AdjacencyIndex {
  const allocate = allocateIn(shared);
  // Stable sorts, the last key first.
  const byTail = countingSort(triples, undefined, keys.tail, entityCount);
  const byRelation = countingSort(triples, byTail, keys.relation, relationCount);
  const order = countingSort(triples, byRelation, keys.head, entityCount, byTail);
  const { edgeCount, groupCount } = countDistinct(order, triples);
  const headOffsets = allocate(entityCount + 1);
  const groupRelations = allocate(groupCount);
  const groupOffsets = allocate(groupCount + 1);
  const tails = allocate(edgeCount);
  let [edge, group] = [0, 0];
  visitDistinct(order, triples, {
    group(head, relation) {
      groupRelations[group] = relation;
      groupOffsets[group] = edge;
      group++;
      headOffsets[head + 1]!++;
    },
    edge(tail) {
      tails[edge++] = tail;
    },
  });
  groupOffsets[groupCount] = edgeCount;
  for (let head = 0; head < entityCount; head++) headOffsets[head + 1]! += headOffsets[head]!;
  return {
    headOffsets,
    groupRelations,
    groupOffsets,
    tails,
    ...groupsByRelation(relationCount, headOffsets, groupRelations, allocate),
  };
}

/** The head of group g: the last whose groups begin at g or before; a binary search. */
export function headOfGroup({ headOffsets }: Pick<AdjacencyIndex, 'headOffsets'>, group: number): number {
  let low = 0;
  let high = headOffsets.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (headOffsets[middle]! <= group) low = middle;
    else high = middle;
  }
  return low;
}

/** Where an edge's key stands in its fact, forwards and backwards, and what turns the one into the other. */
interface EdgeKey {
  readonly forwards: number;
  readonly backwards: number;
  readonly flip: number;
}

const keys = {
  head: { forwards: 0, backwards: 2, flip: 0 },
  relation: { forwards: 1, backwards: 1, flip: 1 },
  tail: { forwards: 2, backwards: 0, flip: 0 },
} as const satisfies Record<string, EdgeKey>;

/**
 * Edges in the order of a key, in [0, bound); those of one key stay in theirs.
 *
 * Edge e < n is fact e forwards and edge n + e is fact e backwards; `edges` are all of them in some order, by default their own.
 */
function countingSort(
  triples: Int32Array,
  edges: Int32Array | undefined,
  { forwards, backwards, flip }: EdgeKey,
  bound: number,
  into?: Int32Array,
): Int32Array {
  const count = triples.length / 3;
  const next = new Int32Array(bound + 1);
  for (let at = 0; at < triples.length; at += 3) {
    next[triples[at + forwards]! + 1]!++;
    next[(triples[at + backwards]! ^ flip) + 1]!++;
  }
  for (let key = 0; key < bound; key++) next[key + 1]! += next[key]!;
  const sorted = into ?? new Int32Array(2 * count);
  for (let i = 0; i < 2 * count; i++) {
    const edge = edges === undefined ? i : edges[i]!;
    const key =
      edge < count ? triples[3 * edge + forwards]! : triples[3 * (edge - count) + backwards]! ^ flip;
    sorted[next[key]!++] = edge;
  }
  return sorted;
}

/** How many edges and groups there are without repetitions, so that every array is allocated once. */
function countDistinct(
  order: Int32Array,
  triples: Int32Array,
): { readonly edgeCount: number; readonly groupCount: number } {
  let [edgeCount, groupCount] = [0, 0];
  visitDistinct(order, triples, {
    group() {
      groupCount++;
    },
    edge() {
      edgeCount++;
    },
  });
  return { edgeCount, groupCount };
}

/** What is called with the edges of a sorted graph, each once. */
interface EdgeVisitor {
  /** Before the first edge of a head and a relation. */
  group(head: number, relation: number): void;
  edge(tail: number): void;
}

function visitDistinct(order: Int32Array, triples: Int32Array, visitor: EdgeVisitor): void {
  const count = triples.length / 3;
  let [lastHead, lastRelation, lastTail] = [-1, -1, -1];
  for (let i = 0; i < order.length; i++) {
    const at = order[i]!;
    const isForward = at < count;
    const from = 3 * (isForward ? at : at - count);
    const head = triples[isForward ? from : from + 2]!;
    const relation = isForward ? triples[from + 1]! : triples[from + 1]! ^ 1;
    const tail = triples[isForward ? from + 2 : from]!;
    const isSameGroup = head === lastHead && relation === lastRelation;
    if (isSameGroup && tail === lastTail) continue;
    if (!isSameGroup) visitor.group(head, relation);
    visitor.edge(tail);
    [lastHead, lastRelation, lastTail] = [head, relation, tail];
  }
}

/** A counting sort of the groups by relation; stable, so the heads of a relation stay ascending. */
export function groupsByRelation(
  relationCount: number,
  headOffsets: Int32Array,
  groupRelations: Int32Array,
  allocate: (length: number) => Int32Array = (length) => new Int32Array(length),
): Pick<AdjacencyIndex, 'relationOffsets' | 'relationGroups' | 'relationHeads'> {
  const relationOffsets = allocate(relationCount + 1);
  for (const relation of groupRelations) relationOffsets[relation + 1]!++;
  for (let r = 0; r < relationCount; r++) relationOffsets[r + 1]! += relationOffsets[r]!;
  const next = Int32Array.from(relationOffsets);
  const relationGroups = allocate(groupRelations.length);
  const relationHeads = allocate(groupRelations.length);
  for (let head = 0; head + 1 < headOffsets.length; head++) {
    for (let group = headOffsets[head]!; group < headOffsets[head + 1]!; group++) {
      const place = next[groupRelations[group]!]!++;
      relationGroups[place] = group;
      relationHeads[place] = head;
    }
  }
  return { relationOffsets, relationGroups, relationHeads };
}
