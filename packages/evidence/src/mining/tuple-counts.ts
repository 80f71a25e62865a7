/** Counts of triples of numbers, such as the relations of a path; of equal triples within one group, only the first counts. */
export interface TupleCounts {
  /** How many distinct triples there are. */
  readonly size: number;
  /** Whether triples were left out because there were too many. */
  readonly isFull: boolean;
  /** Forgets everything. */
  clear(): void;
  /** Begins the next group. */
  nextGroup(): void;
  add(a: number, b: number, c: number): void;
  /** Visits every triple with its count, in the order in which the triples came. */
  forEach(visit: (a: number, b: number, c: number, count: number) => void): void;
}

/** The most triples that are counted; further ones are left out. */
const mostTriples = 2 ** 19;

/** Counts triples of numbers from −1 up, in a table of open addressing. */
export function createTupleCounts(): TupleCounts {
  let mask = 2 ** 12 - 1;
  /** Places in the lists, plus 1. */
  let table = new Int32Array(mask + 1);
  let [as, bs, cs, counts, groups] = lists((mask + 1) / 2);
  let size = 0;
  let group = 0;
  let isFull = false;

  const grow = (): void => {
    const old = [as, bs, cs, counts, groups];
    mask = 2 * mask + 1;
    table = new Int32Array(mask + 1);
    const grown = lists((mask + 1) / 2);
    for (const [i, list] of grown.entries()) list.set(old[i]!);
    [as, bs, cs, counts, groups] = grown;
    for (let i = 0; i < size; i++) {
      let slot = hash(as[i]!, bs[i]!, cs[i]!) & mask;
      while (table[slot] !== 0) slot = (slot + 1) & mask;
      table[slot] = i + 1;
    }
  };

  return {
    get size() {
      return size;
    },
    get isFull() {
      return isFull;
    },
    clear() {
      table.fill(0);
      size = 0;
      group = 0;
      isFull = false;
    },
    nextGroup() {
      group++;
    },
    add(a, b, c) {
      let slot = hash(a, b, c) & mask;
      for (let at = table[slot]!; at !== 0; at = table[slot]!) {
        const i = at - 1;
        if (as[i] === a && bs[i] === b && cs[i] === c) {
          if (groups[i] === group) return;
          groups[i] = group;
          counts[i]!++;
          return;
        }
        slot = (slot + 1) & mask;
      }
      if (size === mostTriples) {
        isFull = true;
        return;
      }
      as[size] = a;
      bs[size] = b;
      cs[size] = c;
      counts[size] = 1;
      groups[size] = group;
      table[slot] = ++size;
      if (2 * size > mask) grow();
    },
    forEach(visit) {
      for (let i = 0; i < size; i++) visit(as[i]!, bs[i]!, cs[i]!, counts[i]!);
    },
  };
}

type Lists = [Int32Array, Int32Array, Int32Array, Int32Array, Int32Array];

function lists(length: number): Lists {
  const list = (): Int32Array => new Int32Array(length);
  return [list(), list(), list(), list(), list()];
}

function hash(a: number, b: number, c: number): number {
  let h = Math.imul(a + 1, 0x9e37_79b1) ^ Math.imul(b + 1, 0x85eb_ca6b) ^ Math.imul(c + 1, 0xc2b2_ae35);
  h ^= h >>> 15;
  h = Math.imul(h, 0x2c1b_3c6d);
  return h ^ (h >>> 12);
}
