import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ScratchSet } from './scratch-set.ts';

const universe = 320;
const few = fc.array(fc.nat(universe - 1), { maxLength: 12 });
const many = fc.array(fc.nat(universe - 1), { minLength: 60, maxLength: 90 });
const operation = fc.record({
  name: fc.constantFrom('unionWith', 'intersectWith', 'subtract', 'complement', 'clear', 'addAll' as const),
  ids: fc.oneof(few, many),
});

const setOf = (ids: readonly number[]): ScratchSet => addTo(new ScratchSet(universe), ids);
const addTo = (set: ScratchSet, ids: readonly number[]): ScratchSet =>
  set.addAll(Int32Array.from(ids), 0, ids.length);

describe('a scratch set', () => {
  it('has the members that sets of JavaScript have, listed or not', () => {
    const seen = { listed: 0, many: 0 };
    fc.assert(
      fc.property(fc.array(operation, { minLength: 1, maxLength: 8 }), (operations) => {
        const set = new ScratchSet(universe);
        let expected = new Set<number>();
        for (const { name, ids } of operations) {
          const other = new Set(ids);
          if (name === 'addAll') addTo(set, ids);
          else if (name === 'clear' || name === 'complement') set[name]();
          else set[name](setOf(ids));
          const all = Array.from({ length: universe }, (_, id) => id);
          const isIn = {
            addAll: (id: number) => expected.has(id) || other.has(id),
            unionWith: (id: number) => expected.has(id) || other.has(id),
            intersectWith: (id: number) => expected.has(id) && other.has(id),
            subtract: (id: number) => expected.has(id) && !other.has(id),
            complement: (id: number) => !expected.has(id),
            clear: () => false,
          }[name];
          expected = new Set(all.filter(isIn));
          expect([...set.set]).toEqual([...expected]);
          expect(set.size).toBe(expected.size);
          if (set.listed !== undefined) expect([...set.listed].sort((a, b) => a - b)).toEqual([...expected]);
          seen[set.listed === undefined ? 'many' : 'listed'] += 1;
        }
      }),
      { numRuns: 300 },
    );
    expect(Math.min(seen.listed, seen.many)).toBeGreaterThan(50);
  });

  it('lists no more members than there are words, and lists again what is few again', () => {
    const ids = Array.from({ length: 11 }, (_, id) => 3 * id);
    expect(setOf(ids.slice(1)).listed).toHaveLength(10);
    const set = setOf(ids);
    expect(set.listed).toBeUndefined();
    expect([...set.intersectWith(setOf([6, 9, 10])).listed!]).toEqual([6, 9]);
  });
});
