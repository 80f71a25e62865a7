import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
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
