import { createRandom } from '@fuzzqe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sortDistinct } from './sort-triples.ts';

/** The same by texts and objects. */
function sortedByText(triples: Int32Array): number[] {
  const facts = Array.from({ length: triples.length / 3 }, (_, i) => [...triples.slice(3 * i, 3 * i + 3)]);
  const distinct = [...new Map(facts.map((fact) => [String(fact), fact])).values()];
  return distinct.sort((a, b) => a[0]! - b[0]! || a[1]! - b[1]! || a[2]! - b[2]!).flat();
}

describe('sorted triples', () => {
  it('are those given, each once, by head, relation and tail', () => {
    const facts = fc.array(fc.tuple(fc.nat(9), fc.nat(3), fc.nat(9)), { maxLength: 100 });
    fc.assert(
      fc.property(facts, (given) => {
        const triples = Int32Array.from(given.flat());
        expect([...sortDistinct(triples.slice(), 10)]).toEqual(sortedByText(triples));
      }),
    );
  });

  it.each([2, 700, 5000, 1 << 20])(
    'are the same in parts of neighbouring heads: %i entities',
    (entityCount) => {
      const random = createRandom('sorted', entityCount);
      // Some heads have many facts, and the last entity has some.
      const head = (): number => entityCount - 1 - Math.floor(entityCount * random.uniform() ** 4);
      const triples = Int32Array.from({ length: 3 * 70_000 }, (_, i) =>
        i % 3 === 1 ? 2 * random.below(4) : i % 3 === 0 ? head() : random.below(Math.min(entityCount, 40)),
      );
      expect([...sortDistinct(triples.slice(), entityCount)]).toEqual(sortedByText(triples));
    },
  );
});
