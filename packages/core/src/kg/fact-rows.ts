import type { AdjacencyIndex } from './adjacency.ts';
import { keptBy } from './kept-by.ts';

/**
 * Directed edges by head and relation, for inner loops that cannot afford a view a step.
 *
 * A group holds the edges of one head along one relation. Group g holds the edges along groupRelations[g] to
 * tails[groupStarts[g] … groupEnds[g]), tails ascending. Arrays may be longer than what the heads and relations refer to.
 * Shapes: E entities, R relations.
 */
export interface FactRows {
  /** [E]: the groups of head h are headStarts[h] … headEnds[h], relations ascending. */
  readonly headStarts: Int32Array;
  readonly headEnds: Int32Array;
  readonly groupRelations: Int32Array;
  readonly groupStarts: Int32Array;
  readonly groupEnds: Int32Array;
  readonly tails: Int32Array;
  /** [R]: the heads of relation r are relationHeads[relationStarts[r] … relationEnds[r]), ascending. */
  readonly relationStarts: Int32Array;
  readonly relationEnds: Int32Array;
  readonly relationHeads: Int32Array;
}

/** The rows of an index, as views of its arrays. */
export const rowsOf: (index: AdjacencyIndex) => FactRows = keptBy((index) => {
  const { headOffsets, groupRelations, groupOffsets, tails, relationOffsets, relationHeads } = index;
  const starts = (offsets: Int32Array): Int32Array => offsets.subarray(0, -1);
  const ends = (offsets: Int32Array): Int32Array => offsets.subarray(1);
  return {
    headStarts: starts(headOffsets),
    headEnds: ends(headOffsets),
    groupRelations,
    groupStarts: starts(groupOffsets),
    groupEnds: ends(groupOffsets),
    tails,
    relationStarts: starts(relationOffsets),
    relationEnds: ends(relationOffsets),
    relationHeads,
  };
});

/** The number of the group (head, relation), or -1: a binary search among the relations of the head. */
export function findGroup(rows: FactRows, head: number, relation: number): number {
  const from = rows.headStarts[head];
  const to = rows.headEnds[head];
  if (from === undefined || to === undefined) return -1;
  return placeOf(rows.groupRelations, relation, from, to);
}

/** A graph whose index may be older than its rows. */
export interface IndexedRows {
  readonly index: AdjacencyIndex;
  readonly rows: FactRows;
}

/**
 * The number of the group (head, relation) of the head at a place of `relationHeads`.
 *
 * The index tells it at once, unless the relation or the head has changed since the index was made: then `findGroup` does.
 */
export function groupAt({ index, rows }: IndexedRows, at: number, relation: number): number {
  const head = rows.relationHeads[at]!;
  // The heads of a relation that changed stand behind the heads that were indexed.
  const isIndexed = at < index.relationGroups.length && rows.headStarts[head] === index.headOffsets[head];
  return isIndexed ? index.relationGroups[at]! : findGroup(rows, head, relation);
}

/** Where a value stands among the ascending values of [from, to), or -1. */
export function placeOf(values: Int32Array, wanted: number, from: number, to: number): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low < to && values[low] === wanted ? low : -1;
}
