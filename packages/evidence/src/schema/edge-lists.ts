/** Rows of a table listed by an entity and a relation, the row added last first. */
export interface EdgeList {
  add(entity: number, slot: number, row: number): void;
  /** The first row, or -1. */
  first(entity: number, slot: number): number;
  /** The row after a row, or -1. */
  next(row: number): number;
}

/** Lists of facts by their heads and by their tails; `slot` numbers relations from 0. */
export function createEdgeLists(entityCount: number): { readonly outOf: EdgeList; readonly into: EdgeList } {
  return { outOf: createEdgeList(entityCount), into: createEdgeList(entityCount) };
}

function createEdgeList(entityCount: number): EdgeList {
  const firsts = new Map<number, number>();
  let following = new Int32Array(64).fill(-1);
  return {
    add(entity, slot, row) {
      const key = slot * entityCount + entity;
      if (row >= following.length) {
        const longer = new Int32Array(Math.max(2 * following.length, row + 1)).fill(-1);
        longer.set(following);
        following = longer;
      }
      following[row] = firsts.get(key) ?? -1;
      firsts.set(key, row);
    },
    first: (entity, slot) => firsts.get(slot * entityCount + entity) ?? -1,
    next: (row) => following[row]!,
  };
}
