import { createRandom } from '@fuzzqe/core';
import { describe, expect, it } from 'vitest';
import { groupRows } from './row-groups.ts';

describe('groupRows', () => {
  it('gives every row one place in a group of its own relation', () => {
    const random = createRandom('rows');
    for (let round = 0; round < 50; round += 1) {
      const relations = 1 + random.below(30);
      const levels = Array.from({ length: 1 + random.below(3) }, () =>
        Int32Array.from({ length: 1 + random.below(200) }, () =>
          Math.min(random.below(relations), random.below(relations)),
        ),
      );
      const grouping = groupRows(levels, relations, 1 + random.below(60));
      expect(grouping.levels).toHaveLength(levels.length);
      grouping.levels.forEach(({ capacity, rows, places }, h) => {
        expect(rows).toHaveLength(grouping.relations.length * capacity);
        levels[h]!.forEach((relation, row) => {
          expect(rows[places[row]!]).toBe(row);
          expect(grouping.relations[Math.floor(places[row]! / capacity)]).toBe(relation);
        });
        expect(rows.filter((row) => row < levels[h]!.length)).toHaveLength(levels[h]!.length);
      });
    }
  });

  it('splits a relation with many rows instead of padding all others to its size', () => {
    const skewed = Int32Array.from({ length: 300 }, (_, i) => (i < 280 ? 0 : 1 + (i % 20)));
    const grouping = groupRows([skewed], 30, 10);
    const places = grouping.relations.length * grouping.levels[0]!.capacity;
    expect(grouping.relations.filter((relation) => relation === 0).length).toBeGreaterThan(1);
    expect(places).toBeLessThan(2 * skewed.length + 20 * 32);
  });
});
