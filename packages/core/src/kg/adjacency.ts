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
  readonly groupHeads: Int32Array;
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

/**
 * Sorts facts and their inverses into an adjacency index, once each.
 *
 * Ranges: ids as checked by `createKnowledgeGraph`. Time O(N + E + R): three counting sorts.
 */
export function buildAdjacency(
  entityCount: number,
  relationCount: number,
  triples: Int32Array,
): AdjacencyIndex {
  const edges = directedEdges(triples);
  // Stable sorts, the last key first.
  const byTail = countingSort(Int32Array.from(edges.tails.keys()), edges.tails, entityCount);
  const byRelation = countingSort(byTail, edges.relations, relationCount);
  const order = countingSort(byRelation, edges.heads, entityCount);

  const { edgeCount, groupCount } = countDistinct(order, edges);
  const headOffsets = new Int32Array(entityCount + 1);
  const groupHeads = new Int32Array(groupCount);
  const groupRelations = new Int32Array(groupCount);
  const groupOffsets = new Int32Array(groupCount + 1);
  const tails = new Int32Array(edgeCount);
  let [edge, group] = [0, 0];
  let [lastHead, lastRelation, lastTail] = [-1, -1, -1];
  for (const at of order) {
    const [head, relation, tail] = [edges.heads[at]!, edges.relations[at]!, edges.tails[at]!];
    const isSameGroup = head === lastHead && relation === lastRelation;
    if (isSameGroup && tail === lastTail) continue;
    if (!isSameGroup) {
      groupHeads[group] = head;
      groupRelations[group] = relation;
      groupOffsets[group] = edge;
      group++;
      headOffsets[head + 1]!++;
    }
    tails[edge++] = tail;
    [lastHead, lastRelation, lastTail] = [head, relation, tail];
  }
  groupOffsets[groupCount] = edgeCount;
  for (let head = 0; head < entityCount; head++) headOffsets[head + 1]! += headOffsets[head]!;

  return {
    headOffsets,
    groupHeads,
    groupRelations,
    groupOffsets,
    tails,
    ...groupsByRelation(relationCount, groupHeads, groupRelations),
  };
}

interface Edges {
  readonly heads: Int32Array;
  readonly relations: Int32Array;
  readonly tails: Int32Array;
}

/** Every fact as an edge of both of its ends; repetitions stay. */
function directedEdges(triples: Int32Array): Edges {
  const count = triples.length / 3;
  const [heads, relations, tails] = [0, 1, 2].map(() => new Int32Array(2 * count)) as [
    Int32Array,
    Int32Array,
    Int32Array,
  ]; // map forgets how many there are
  for (let fact = 0; fact < count; fact++) {
    const [head, relation, tail] = [triples[3 * fact]!, triples[3 * fact + 1]!, triples[3 * fact + 2]!];
    heads[fact] = head;
    relations[fact] = relation;
    tails[fact] = tail;
    heads[count + fact] = tail;
    relations[count + fact] = relation ^ 1;
    tails[count + fact] = head;
  }
  return { heads, relations, tails };
}

/** Places in the order of their keys, in [0, bound); those of one key stay in theirs. */
function countingSort(places: Int32Array, keys: Int32Array, bound: number): Int32Array {
  const next = new Int32Array(bound + 1);
  for (const key of keys) next[key + 1]!++;
  for (let key = 0; key < bound; key++) next[key + 1]! += next[key]!;
  const sorted = new Int32Array(places.length);
  for (const place of places) sorted[next[keys[place]!]!++] = place;
  return sorted;
}

/** How many edges and groups there are without repetitions, so that every array is allocated once. */
function countDistinct(
  order: Int32Array,
  { heads, relations, tails }: Edges,
): { readonly edgeCount: number; readonly groupCount: number } {
  let [edgeCount, groupCount, last] = [0, 0, -1];
  for (const at of order) {
    const isSameGroup = last >= 0 && heads[at] === heads[last] && relations[at] === relations[last];
    if (!isSameGroup) groupCount++;
    if (!isSameGroup || tails[at] !== tails[last]) edgeCount++;
    last = at;
  }
  return { edgeCount, groupCount };
}

/** A counting sort of the groups by relation; stable, so the heads of a relation stay ascending. */
function groupsByRelation(
  relationCount: number,
  groupHeads: Int32Array,
  groupRelations: Int32Array,
): Pick<AdjacencyIndex, 'relationOffsets' | 'relationGroups' | 'relationHeads'> {
  const relationOffsets = new Int32Array(relationCount + 1);
  for (const relation of groupRelations) relationOffsets[relation + 1]!++;
  for (let r = 0; r < relationCount; r++) relationOffsets[r + 1]! += relationOffsets[r]!;
  const next = relationOffsets.slice();
  const relationGroups = new Int32Array(groupRelations.length);
  const relationHeads = new Int32Array(groupRelations.length);
  for (let group = 0; group < groupRelations.length; group++) {
    const place = next[groupRelations[group]!]!++;
    relationGroups[place] = group;
    relationHeads[place] = groupHeads[group]!;
  }
  return { relationOffsets, relationGroups, relationHeads };
}
