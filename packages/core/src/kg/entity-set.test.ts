import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EntitySet } from './entity-set.ts';

const universes = fc.integer({ min: 1, max: 130 });
const twoSets = universes.chain((n) =>
  fc.record({
    n: fc.constant(n),
    a: fc.uniqueArray(fc.nat(n - 1)),
    b: fc.uniqueArray(fc.nat(n - 1)),
  }),
);
const ascending = (ids: Iterable<number>) => [...ids].sort((x, y) => x - y);

describe('EntitySet', () => {
  it('does what a Set of numbers does', () => {
    fc.assert(
      fc.property(twoSets, ({ n, a, b }) => {
        const [left, right] = [new Set(a), new Set(b)];
        const all = Array.from({ length: n }, (_, i) => i);
        const set = EntitySet.from(n, a);
        const other = EntitySet.from(n, b);
        expect([...set]).toEqual(ascending(a));
        expect([...set.toArray()]).toEqual(ascending(a));
        expect(set.size).toBe(a.length);
        expect(set.isEmpty).toBe(a.length === 0);
        expect(all.filter((id) => set.has(id))).toEqual(ascending(a));
        expect([...set.clone().unionWith(other)]).toEqual(all.filter((i) => left.has(i) || right.has(i)));
        expect([...set.clone().intersectWith(other)]).toEqual(all.filter((i) => left.has(i) && right.has(i)));
        expect([...set.clone().subtract(other)]).toEqual(all.filter((i) => left.has(i) && !right.has(i)));
        expect([...set.clone().complement()]).toEqual(all.filter((i) => !left.has(i)));
        expect(set.clone().complement().size).toBe(n - a.length);
        expect(set.clone().complement().complement().equals(set)).toBe(true);
        expect([...set]).toEqual(ascending(a));
      }),
    );
  });

  it('visits the members in ascending order', () => {
    const seen: number[] = [];
    EntitySet.from(100, [99, 0, 31, 32, 64]).forEach((id) => {
      seen.push(id);
    });
    expect(seen).toEqual([0, 31, 32, 64, 99]);
  });

  it('copies, deletes and clears', () => {
    const set = new EntitySet(40).copyFrom(EntitySet.from(40, [1, 39])).delete(1);
    expect([...set]).toEqual([39]);
    expect(set.clear().isEmpty).toBe(true);
  });

  it('has no member outside the universe', () => {
    const set = new EntitySet(5).complement();
    expect([-1, 5, 32, 1e10, Number.NaN].some((id) => set.has(id))).toBe(false);
  });

  it.each([-1, 5, 0.5, Number.NaN, 2 ** 32])('refuses to add %d to a universe of 5', (id) => {
    expect(() => new EntitySet(5).add(id)).toThrow(`expected an integer in [0, 5), got ${id}`);
  });

  it('refuses sets of another universe', () => {
    expect(() => new EntitySet(5).unionWith(new EntitySet(6))).toThrow('expected 5, got 6');
    expect(new EntitySet(5).equals(new EntitySet(6))).toBe(false);
  });
});
