import type { KeyBatch } from './key-batch.ts';

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
  /** The same for key i of a batch into ids[i], in their order; several times as fast where no cache holds the table. */
  findAll(batch: KeyBatch, ids: Int32Array): void;
  addAll(batch: KeyBatch, ids: Int32Array): void;
  /** All keys, in the order of their numbers. */
  keys(): string[];
}

/**
 * An empty table.
 *
 * Memory: the bytes of the keys and at most 43 bytes for each, half as much again while it grows.
 */
export function createKeyTable(): KeyTable {
  /**
   * Open addressing with linear probing, never more than half full. Slot s is a hash and the place of an entry, or 0 for a
   * free slot, side by side: most of the time goes into waiting for memory, and so both are waited for once.
   */
  let slots = new Int32Array(2 << 10);
  let mask = (1 << 10) - 1;
  /** An entry is a key's number, its length in bytes and its bytes, in whole words; none begins at 0. */
  let entries = new Int32Array(1 << 12);
  let text = Buffer.from(entries.buffer);
  let used = 1;
  let size = 0;
  let hashes = new Int32Array(0);
  let touched = new Int32Array(0);

  /** The slot of the key, or the free slot where it belongs. */
  const slotOf = (bytes: Uint8Array, start: number, end: number, hash: number): number => {
    const table = slots;
    const length = end - start;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const entry = table[2 * slot + 1]!;
      if (entry === 0) return slot;
      if (table[2 * slot] !== hash || entries[entry + 1] !== length) continue;
      const from = 4 * entry + 8;
      const known = text;
      let same = 0;
      while (same < length && known[from + same] === bytes[start + same]) same++;
      if (same === length) return slot;
    }
  };
  /** The number of what stands in a slot, or -1. */
  const numberIn = (slot: number): number => {
    const entry = slots[2 * slot + 1]!;
    return entry === 0 ? -1 : entries[entry]!;
  };
  const growSlots = (): void => {
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
  };
  const growEntries = (needed: number): void => {
    const longer = new Int32Array(Math.max(needed, 2 * entries.length));
    longer.set(entries);
    entries = longer;
    text = Buffer.from(entries.buffer);
  };
  const findHashed = (bytes: Uint8Array, start: number, end: number, hash: number): number =>
    numberIn(slotOf(bytes, start, end, hash));
  const addHashed = (bytes: Uint8Array, start: number, end: number, hash: number): number => {
    let slot = slotOf(bytes, start, end, hash);
    const known = numberIn(slot);
    if (known >= 0) return known;
    if (4 * size === slots.length) {
      growSlots();
      slot = slotOf(bytes, start, end, hash);
    }
    const length = end - start;
    const next = used + 2 + Math.ceil(length / 4);
    if (next > entries.length) growEntries(next);
    entries[used] = size;
    entries[used + 1] = length;
    for (let i = 0; i < length; i++) text[4 * used + 8 + i] = bytes[start + i]!;
    slots[2 * slot] = hash;
    slots[2 * slot + 1] = used;
    used = next;
    return size++;
  };
  /**
   * Hashes the keys of a batch and reads, first of all of them, then of all of them, what the search for each will wait for:
   * reads that do not depend on one another are waited for together.
   */
  const prepare = ({ count, bytes, ends }: KeyBatch): void => {
    if (hashes.length < count) [hashes, touched] = [new Int32Array(count), new Int32Array(count)];
    const [hashOfKey, read, table, bits, all] = [hashes, touched, slots, mask, entries];
    for (let i = 0; i < count; i++) hashOfKey[i] = hashOf(bytes, ends[i]!, ends[i + 1]!);
    for (let i = 0; i < count; i++) read[i] = table[2 * (hashOfKey[i]! & bits) + 1]!;
    for (let i = 0; i < count; i++) read[i] = all[read[i]!]!;
  };

  return {
    get size() {
      return size;
    },
    find: (bytes, start, end) => findHashed(bytes, start, end, hashOf(bytes, start, end)),
    add: (bytes, start, end) => addHashed(bytes, start, end, hashOf(bytes, start, end)),
    findAll(batch, ids) {
      prepare(batch);
      const { count, bytes, ends } = batch;
      for (let i = 0; i < count; i++) ids[i] = findHashed(bytes, ends[i]!, ends[i + 1]!, hashes[i]!);
    },
    addAll(batch, ids) {
      prepare(batch);
      const { count, bytes, ends } = batch;
      for (let i = 0; i < count; i++) ids[i] = addHashed(bytes, ends[i]!, ends[i + 1]!, hashes[i]!);
    },
    keys() {
      let entry = 1;
      return Array.from({ length: size }, () => {
        const from = 4 * entry + 8;
        const end = from + entries[entry + 1]!;
        entry = Math.ceil(end / 4);
        return text.toString('utf8', from, end);
      });
    },
  };
}

/** FNV-1a, with its bits mixed once more: neighbouring numbers as keys would else land side by side. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5 | 0;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  return hash ^ (hash >>> 15);
}
