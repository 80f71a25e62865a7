import { type FactRows, findGroup } from '@fuzzqe/core';

/** How many edges are looked at in a level of a path. */
export const edgesPerLevel = 1024;

/** The longest path of a rule. */
export const longestPath = 3;

/** The paths that `expandPath` found last, level by level. */
export interface PathScratch {
  /** [3 × 1024]: where path i of level l ends is entities[1024 l + i]. */
  readonly entities: Int32Array;
  /** [3 × 1024]: the number, in the level before, of the path that path i of level l continues. */
  readonly parents: Int32Array;
  /** How many paths the last level has. */
  count: number;
}

/** Allocates the arrays of `expandPath`. */
export function createPathScratch(): PathScratch {
  const length = longestPath * edgesPerLevel;
  return { entities: new Int32Array(length), parents: new Int32Array(length), count: 0 };
}

/**
 * Follows the relations of a path from an entity, breadth first, through distinct entities.
 *
 * Level l holds a list of paths. Level 0 of the relations starts from the one path (X). Each level takes the paths of the level
 * before in their order and, of each, the tails of the next relation ascending: every such edge is looked at, and after 1024 edges
 * the level ends. An edge continues its path if its tail is none of the path's entities, X included.
 *
 * Shapes: `relations` from `at`, `length` of them; the paths are left in `scratch`.
 * Returns how many edges were looked at: at most 1024 × length.
 */
export function expandPath(
  rows: FactRows,
  scratch: PathScratch,
  head: number,
  relations: Int32Array,
  at: number,
  length: number,
): number {
  const { groupStarts, groupEnds, tails } = rows;
  const { entities, parents } = scratch;
  let looked = 0;
  let count = 1;
  for (let level = 0; level < length; level++) {
    const relation = relations[at + level]!;
    const base = level * edgesPerLevel;
    const before = base - edgesPerLevel;
    let left = edgesPerLevel;
    let found = 0;
    for (let path = 0; path < count && left > 0; path++) {
      const from = level === 0 ? head : entities[before + path]!;
      const group = findGroup(rows, from, relation);
      if (group < 0) continue;
      const second = level === 2 ? entities[parents[before + path]!]! : head;
      const first = groupStarts[group]!;
      const last = Math.min(groupEnds[group]!, first + left);
      left -= last - first;
      for (let edge = first; edge < last; edge++) {
        const tail = tails[edge]!;
        if (tail === head || tail === from || tail === second) continue;
        entities[base + found] = tail;
        parents[base + found] = path;
        found++;
      }
    }
    looked += edgesPerLevel - left;
    count = found;
    if (found === 0) break;
  }
  scratch.count = count;
  return looked;
}

/** The entities of path i of the last level, X first; after `expandPath` of the same head and length. */
export function entitiesOfPath(
  { entities, parents }: PathScratch,
  head: number,
  length: number,
  path: number,
): number[] {
  const found: number[] = [];
  for (let level = length - 1, i = path; level >= 0; level--) {
    found.unshift(entities[level * edgesPerLevel + i]!);
    i = parents[level * edgesPerLevel + i]!;
  }
  return [head, ...found];
}
