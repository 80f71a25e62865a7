import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EntitySet } from '../kg/entity-set.ts';
import { filteredRanks } from './rank.ts';

const scores = (...values: number[]) => Float64Array.from(values);

describe('filteredRanks', () => {
  it('ranks among all that are neither targets nor excluded', () => {
    expect([...filteredRanks(scores(5, 4, 3, 2, 1), [2], [])]).toEqual([3]);
    expect([...filteredRanks(scores(5, 4, 3, 2, 1), [2], [0])]).toEqual([2]);
    expect([...filteredRanks(scores(5, 4, 3, 2, 1), [2, 4, 1], [])]).toEqual([2, 3, 2]);
  });

  it('takes the middle of the places that ties could have', () => {
    expect([...filteredRanks(scores(1, 1, 1), [1], [])]).toEqual([2]);
    expect([...filteredRanks(scores(1, 1, 0), [1], [])]).toEqual([1.5]);
  });

  it('gives a constant model the middle rank, not the first', () => {
    expect(filteredRanks(new Float64Array(1001), [7], [])[0]).toBe(501);
  });

  it('agrees with comparing every target with every candidate', () => {
    const casesOf = (score: fc.Arbitrary<number>, least: number, most: number) =>
      fc.integer({ min: least, max: most }).chain((n) =>
        fc.record({
          values: fc.array(score, { minLength: n, maxLength: n }),
          targets: fc.uniqueArray(fc.nat(n - 1), { minLength: least >> 1 }),
          excluded: fc.uniqueArray(fc.nat(n - 1)),
        }),
      );
    const infinite = fc.constantFrom(-Infinity, Infinity, -0);
    const cases = fc.oneof(
      casesOf(fc.oneof(fc.integer({ min: -2, max: 2 }), infinite), 1, 60),
      // So many different scores of targets that candidates are searched among them, and not compared with each.
      casesOf(fc.oneof({ arbitrary: fc.integer({ min: -100, max: 99 }), weight: 9 }, infinite), 60, 120),
    );
    const times = { compared: 0, searched: 0 };
    fc.assert(
      fc.property(cases, ({ values, targets, excluded }) => {
        const levels = new Set(targets.map((target) => values[target]));
        times[levels.size > 16 ? 'searched' : 'compared'] += 1;
        const out = new Set([...targets, ...excluded]);
        const candidates = values.filter((_, id) => !out.has(id));
        const expected = targets.map((target) => {
          const mine = values[target]!;
          const optimistic = 1 + candidates.filter((score) => score > mine).length;
          const pessimistic = 1 + candidates.filter((score) => score >= mine).length;
          return (optimistic + pessimistic) / 2;
        });
        const set = EntitySet.from(values.length, excluded);
        expect([...filteredRanks(Float32Array.from(values), targets, excluded)]).toEqual(expected);
        expect([...filteredRanks(Float64Array.from(values), targets, set)]).toEqual(expected);
        expect([...set]).toEqual([...excluded].sort((a, b) => a - b));
      }),
    );
    expect(Math.min(times.compared, times.searched)).toBeGreaterThan(10);
  });

  it('refuses scores that are not numbers and entities without a score', () => {
    expect(() => filteredRanks(scores(1, Number.NaN), [0], [])).toThrow('score of entity 1');
    expect(() => filteredRanks(scores(1, Number.NaN), [1], [])).toThrow('got NaN');
    expect(() => filteredRanks(scores(1, 2), [2], [])).toThrow('expected an integer in [0, 2), got 2');
    expect(() => filteredRanks(scores(1, 2), [0], [-1])).toThrow('got -1');
  });

  it('has no ranks for no targets', () => {
    expect(filteredRanks(scores(1), [], []).length).toBe(0);
  });
});
