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
 * Ranges: ids as checked by `createKnowledgeGraph`; relation × entityCount stays below 2^53.
 */
export function buildAdjacency(
  entityCount: number,
  relationCount: number,
  triples: Int32Array,
): AdjacencyIndex {
  const edgeOffsets = offsetsByHead(entityCount, triples);
  const keys = keysByHead(entityCount, triples, edgeOffsets);

  // First count what is distinct, so that every array is allocated once at its final size.
  let edgeCount = 0;
  let groupCount = 0;
  for (let head = 0; head < entityCount; head++) {
    const bucket = keys.subarray(edgeOffsets[head]!, edgeOffsets[head + 1]!);
    // Native sort of plain numbers: no comparator calls, in place.
    if (bucket.length > 1) bucket.sort();
    let previousKey = -1;
    let previousRelation = -1;
    for (let i = 0; i < bucket.length; i++) {
      const key = bucket[i]!;
      if (key === previousKey) continue;
      previousKey = key;
      edgeCount++;
      const relation = Math.floor(key / entityCount);
      if (relation !== previousRelation) groupCount++;
      previousRelation = relation;
    }
  }

  const headOffsets = new Int32Array(entityCount + 1);
  const groupHeads = new Int32Array(groupCount);
  const groupRelations = new Int32Array(groupCount);
  const groupOffsets = new Int32Array(groupCount + 1);
  const tails = new Int32Array(edgeCount);
  let edge = 0;
  let group = 0;
  for (let head = 0; head < entityCount; head++) {
    headOffsets[head] = group;
    let previousKey = -1;
    let previousRelation = -1;
    for (let i = edgeOffsets[head]!; i < edgeOffsets[head + 1]!; i++) {
      const key = keys[i]!;
      if (key === previousKey) continue;
      previousKey = key;
      const relation = Math.floor(key / entityCount);
      if (relation !== previousRelation) {
        groupHeads[group] = head;
        groupRelations[group] = relation;
        groupOffsets[group] = edge;
        group++;
      }
      previousRelation = relation;
      tails[edge++] = key - relation * entityCount;
    }
  }
  headOffsets[entityCount] = groupCount;
  groupOffsets[groupCount] = edgeCount;

  return {
    headOffsets,
    groupHeads,
    groupRelations,
    groupOffsets,
    tails,
    ...groupsByRelation(relationCount, groupHeads, groupRelations),
  };
}

/** Where each head's edges start when every fact gives an edge to both of its ends; repetitions counted. */
function offsetsByHead(entityCount: number, triples: Int32Array): Int32Array {
  const offsets = new Int32Array(entityCount + 1);
  for (let i = 0; i < triples.length; i += 3) {
    offsets[triples[i]! + 1]!++;
    offsets[triples[i + 2]! + 1]!++;
  }
  for (let head = 0; head < entityCount; head++) offsets[head + 1]! += offsets[head]!;
  return offsets;
}

/** Every edge as the number `relation × entityCount + tail`, in its head's bucket. */
function keysByHead(entityCount: number, triples: Int32Array, offsets: Int32Array): Float64Array {
  const keys = new Float64Array((triples.length / 3) * 2);
  const next = offsets.slice();
  for (let i = 0; i < triples.length; i += 3) {
    const head = triples[i]!;
    const relation = triples[i + 1]!;
    const tail = triples[i + 2]!;
    keys[next[head]!++] = relation * entityCount + tail;
    keys[next[tail]!++] = (relation ^ 1) * entityCount + head;
  }
  return keys;
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
