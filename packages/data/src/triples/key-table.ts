/**
 * Keys with numbers in the order of their first appearance.
 *
 * Keys come and are kept as UTF-8 bytes: a file of millions of lines is read without a string for each of its columns.
 */
export interface KeyTable {
  readonly size: number;
  /** The number of the key in `bytes[start … end)`, or -1. */
  find(bytes: Uint8Array, start: number, end: number): number;
  /** The number of the key, which is added if it is new. */
  add(bytes: Uint8Array, start: number, end: number): number;
  /** All keys, in the order of their numbers. */
  keys(): string[];
}

/**
 * An empty table.
 *
 * Memory: the bytes of the keys and at most 36 bytes for each, half as much again while it grows.
 */
export function createKeyTable(): KeyTable {
  /**
   * Open addressing with linear probing, never more than half full. Slot s is a hash and a key number + 1, or 0 for a
   * free slot, side by side: most of the time goes into waiting for memory, and so both are waited for once.
   */
  let slots = new Int32Array(2 << 10);
  let mask = (1 << 10) - 1;
  /** Key i is text[offsets[i] … offsets[i + 1]). */
  let offsets = new Int32Array((1 << 9) + 1);
  let text = Buffer.alloc(1 << 14);
  let size = 0;

  /** The slot of the key, or the free slot where it belongs. */
  const slotOf = (bytes: Uint8Array, start: number, end: number, hash: number): number => {
    const table = slots;
    const length = end - start;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const key = table[2 * slot + 1]! - 1;
      if (key < 0) return slot;
      if (table[2 * slot] !== hash) continue;
      const from = offsets[key]!;
      if (offsets[key + 1]! - from !== length) continue;
      const known = text;
      let same = 0;
      while (same < length && known[from + same] === bytes[start + same]) same++;
      if (same === length) return slot;
    }
  };
  const grow = (): void => {
    const narrow = slots;
    slots = new Int32Array(narrow.length * 2);
    mask = slots.length / 2 - 1;
    for (let from = 0; from < narrow.length; from += 2) {
      if (narrow[from + 1] === 0) continue;
      let slot = narrow[from]! & mask;
      while (slots[2 * slot + 1] !== 0) slot = (slot + 1) & mask;
      slots[2 * slot] = narrow[from]!;
      slots[2 * slot + 1] = narrow[from + 1]!;
    }
    const more = new Int32Array(slots.length / 4 + 1);
    more.set(offsets);
    offsets = more;
  };

  return {
    get size() {
      return size;
    },
    find: (bytes, start, end) => slots[2 * slotOf(bytes, start, end, hashOf(bytes, start, end)) + 1]! - 1,
    add(bytes, start, end) {
      const hash = hashOf(bytes, start, end);
      let slot = slotOf(bytes, start, end, hash);
      const known = slots[2 * slot + 1]! - 1;
      if (known >= 0) return known;
      if (size === offsets.length - 1) {
        grow();
        slot = slotOf(bytes, start, end, hash);
      }
      const from = offsets[size]!;
      const to = from + end - start;
      if (to > text.length) {
        const longer = Buffer.alloc(Math.max(to, text.length * 2));
        longer.set(text);
        text = longer;
      }
      for (let i = start; i < end; i++) text[from + i - start] = bytes[i]!;
      offsets[size + 1] = to;
      slots[2 * slot] = hash;
      slots[2 * slot + 1] = ++size;
      return size - 1;
    },
    keys: () =>
      Array.from({ length: size }, (_, key) => text.toString('utf8', offsets[key]!, offsets[key + 1]!)),
  };
}

/** FNV-1a, with its bits mixed once more: neighbouring numbers as keys would else land side by side. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5 | 0;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  return hash ^ (hash >>> 15);
}
