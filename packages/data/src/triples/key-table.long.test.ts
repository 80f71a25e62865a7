import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createKeyBatch } from './key-batch.ts';
import { createKeyTable } from './key-table.ts';

describe('a table of keys', () => {
  it('numbers keys as a Map does', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 5 }), { maxLength: 2000 }), (keys) => {
        const table = createKeyTable();
        const ids = new Map<string, number>();
        for (const key of keys) {
          const bytes = Buffer.from(`<${key}>`);
          expect(table.find(bytes, 1, bytes.length - 1)).toBe(ids.get(key) ?? -1);
          if (!ids.has(key)) ids.set(key, ids.size);
          expect(table.add(bytes, 1, bytes.length - 1)).toBe(ids.get(key));
        }
        expect(table.keys()).toEqual([...ids.keys()]);
      }),
    );
  });

  it('finds and adds many at once as one by one', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 2 }), { maxLength: 500 }), (keys) => {
        const [table, other] = [createKeyTable(), createKeyTable()];
        const batch = createKeyBatch(64);
        const [ids, found] = [new Int32Array(64), new Int32Array(64)];
        for (let from = 0; from < keys.length; from += 64) {
          const some = keys.slice(from, from + 64).map((key) => Buffer.from(`<${key}>`));
          for (const bytes of some) batch.push(bytes, 1, bytes.length - 1);
          expect(batch.isFull).toBe(some.length === 64);
          table.findAll(batch, found);
          const known = some.map((bytes) => other.find(bytes, 1, bytes.length - 1));
          expect([...found.subarray(0, some.length)]).toEqual(known);
          table.addAll(batch, ids);
          const added = some.map((bytes) => other.add(bytes, 1, bytes.length - 1));
          expect([...ids.subarray(0, some.length)]).toEqual(added);
          batch.clear();
        }
        expect(table.keys()).toEqual(other.keys());
      }),
    );
  });

  it('grows to hundreds of thousands of keys', () => {
    const table = createKeyTable();
    const add = (i: number): number => {
      const bytes = Buffer.from(`Q${i}`);
      return table.add(bytes, 0, bytes.length);
    };
    for (let i = 0; i < 300_000; i++) expect(add(i) === i).toBe(true);
    for (let i = 0; i < 300_000; i += 97) expect(add(i)).toBe(i);
    expect(table.keys().at(-1)).toBe('Q299999');
  });
});
