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
 * Memory: the bytes of the keys and at most 20 bytes for each, twice that while it grows.
 */
export function createKeyTable(): KeyTable {
  /** Open addressing with linear probing: key number + 1, or 0 for a free slot; never more than half full. */
  let slots = new Int32Array(1 << 10);
  let hashes = new Int32Array(1 << 9);
  /** Key i is text[offsets[i] … offsets[i + 1]). */
  let offsets = new Float64Array((1 << 9) + 1);
  let text = Buffer.alloc(1 << 14);
  let size = 0;

  /** The slot of the key, or the free slot where it belongs. */
  const slotOf = (bytes: Uint8Array, start: number, end: number, hash: number): number => {
    const mask = slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const key = slots[slot]! - 1;
      if (key < 0) return slot;
      if (hashes[key] === hash && equals(key, bytes, start, end)) return slot;
    }
  };
  const equals = (key: number, bytes: Uint8Array, start: number, end: number): boolean => {
    const from = offsets[key]!;
    if (offsets[key + 1]! - from !== end - start) return false;
    for (let i = start; i < end; i++) if (text[from + i - start] !== bytes[i]) return false;
    return true;
  };
  const grow = (): void => {
    const wider = new Int32Array(slots.length * 2);
    const mask = wider.length - 1;
    for (let key = 0; key < size; key++) {
      let slot = hashes[key]! & mask;
      while (wider[slot] !== 0) slot = (slot + 1) & mask;
      wider[slot] = key + 1;
    }
    slots = wider;
    const moreHashes = new Int32Array(hashes.length * 2);
    moreHashes.set(hashes);
    hashes = moreHashes;
    const moreOffsets = new Float64Array(hashes.length + 1);
    moreOffsets.set(offsets);
    offsets = moreOffsets;
  };

  return {
    get size() {
      return size;
    },
    find: (bytes, start, end) => slots[slotOf(bytes, start, end, hashOf(bytes, start, end))]! - 1,
    add(bytes, start, end) {
      const hash = hashOf(bytes, start, end);
      let slot = slotOf(bytes, start, end, hash);
      const known = slots[slot]! - 1;
      if (known >= 0) return known;
      if (size === hashes.length) {
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
      text.set(bytes.subarray(start, end), from);
      offsets[size + 1] = to;
      hashes[size] = hash;
      slots[slot] = ++size;
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
