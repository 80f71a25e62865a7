/** Columns of a row: the fact, then the axiom and the premise that it follows from. */
export const column = { head: 0, relation: 1, tail: 2, axiom: 3, from: 4, by: 5, to: 6 } as const;

/** How many numbers a row has. */
export const rowLength = 7;

/** Distinct facts in the order in which they were added, each with seven numbers, in typed arrays that grow. */
export interface FactTable {
  readonly count: number;
  /** One number of a row. */
  get(row: number, at: number): number;
  /** The row of a fact, or -1. */
  find(head: number, relation: number, tail: number): number;
  /** Adds a fact that is not there yet; gives its row. */
  add(row: readonly [number, number, number, number, number, number, number]): number;
}

/** An empty table. */
export function createFactTable(): FactTable {
  let rows = new Int32Array(64 * rowLength);
  /** Rows plus 1 by open addressing; 0 is free. At most half of the slots are taken. */
  let slots = new Int32Array(256);
  let count = 0;
  const slotOf = (head: number, relation: number, tail: number): number => {
    const mask = slots.length - 1;
    let hash = Math.imul(head, 0x9e3779b1) ^ Math.imul(relation, 0x85ebca6b) ^ Math.imul(tail, 0xc2b2ae35);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    for (let slot = (hash ^ (hash >>> 13)) & mask; ; slot = (slot + 1) & mask) {
      const row = slots[slot]! - 1;
      if (row < 0) return slot;
      const at = row * rowLength;
      if (rows[at] === head && rows[at + 1] === relation && rows[at + 2] === tail) return slot;
    }
  };
  const grow = (): void => {
    const wider = new Int32Array(rows.length * 2);
    wider.set(rows);
    rows = wider;
    slots = new Int32Array(slots.length * 2);
    for (let row = 0; row < count; row += 1) {
      const at = row * rowLength;
      slots[slotOf(rows[at]!, rows[at + 1]!, rows[at + 2]!)] = row + 1;
    }
  };
  return {
    get count() {
      return count;
    },
    get: (row, at) => rows[row * rowLength + at]!,
    find: (head, relation, tail) => slots[slotOf(head, relation, tail)]! - 1,
    add(row) {
      if ((count + 1) * rowLength > rows.length) grow();
      rows.set(row, count * rowLength);
      slots[slotOf(row[0], row[1], row[2])] = count + 1;
      count += 1;
      return count - 1;
    },
  };
}
