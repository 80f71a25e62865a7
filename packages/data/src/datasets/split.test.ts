import { createHash } from 'node:crypto';
import { createRandom } from '@fuzzqe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitTriples } from '../index.ts';

const entityCount = 12;

const graphs = fc
  .array(fc.tuple(fc.nat(entityCount - 1), fc.nat(2), fc.nat(entityCount - 1)), {
    minLength: 1,
    maxLength: 80,
  })
  .map((facts) => facts.map(([head, relation, tail]) => [head, 2 * relation, tail] as const));

function factsOf(triples: Int32Array): (readonly [number, number, number])[] {
  return Array.from({ length: triples.length / 3 }, (_, i) => {
    return [triples[3 * i]!, triples[3 * i + 1]!, triples[3 * i + 2]!] as const;
  });
}

const pairOf = ([head, , tail]: readonly [number, number, number]): string =>
  `${Math.min(head, tail)} ${Math.max(head, tail)}`;

describe('a split', () => {
  it('keeps every fact, in one part each', () => {
    fc.assert(
      fc.property(graphs, fc.integer(), (facts, seed) => {
        const { train, valid, test } = split(facts, seed);
        const parts = [train, valid, test].flatMap(factsOf).map(String).sort();
        expect(parts).toEqual(facts.map(String).sort());
      }),
    );
  });

  it('never parts two facts between the same entities', () => {
    fc.assert(
      fc.property(graphs, fc.integer(), (facts, seed) => {
        const { train, valid, test } = split(facts, seed);
        const [a, b, c] = [train, valid, test].map((part) => new Set(factsOf(part).map(pairOf)));
        expect([...b!, ...c!].filter((pair) => a!.has(pair))).toEqual([]);
        expect([...c!].filter((pair) => b!.has(pair))).toEqual([]);
      }),
    );
  });

  it('leaves every entity and relation a training fact', () => {
    fc.assert(
      fc.property(graphs, fc.integer(), (facts, seed) => {
        const { train } = split(facts, seed);
        const used = (all: readonly (readonly [number, number, number])[]) => ({
          entities: new Set(all.flatMap(([head, , tail]) => [head, tail])),
          relations: new Set(all.map(([, relation]) => relation)),
        });
        expect(used(factsOf(train))).toEqual(used(facts));
      }),
    );
  });

  it('holds out the shares that were asked for where it can', () => {
    const random = createRandom('dense');
    const pairs = Array.from({ length: entityCount }, (_, head) =>
      Array.from({ length: head }, (_, tail) => [head, 2 * random.below(3), tail] as const),
    ).flat();
    const { valid, test } = split(pairs, 1);
    expect([valid.length / 3, test.length / 3]).toEqual([7, 13]);
  });

  it('depends on the seed alone', () => {
    const facts = Array.from({ length: 60 }, (_, i) => [i % 11, 0, (i * 7) % 12] as const);
    expect(split(facts, 4)).toEqual(split(facts, 4));
    expect(split(facts, 4)).not.toEqual(split(facts, 5));
  });

  it('is the same of facts that are gone through in parts', () => {
    const random = createRandom('large');
    const count = 3000;
    const facts = Array.from({ length: 40_000 }, () => {
      const head = Math.floor(count * random.uniform() ** 2);
      return [head, 2 * random.below(5), Math.floor(count * random.uniform() ** 4)] as const;
    });
    const triples = Int32Array.from(facts.flat());
    const parts = splitTriples(triples, {
      entityCount: count,
      valid: 0.1,
      test: 0.2,
      random: createRandom(1),
    });
    const [a, b, c] = [parts.train, parts.valid, parts.test].map(
      (part) => new Set(factsOf(part).map(pairOf)),
    );
    expect([...b!, ...c!].filter((pair) => a!.has(pair))).toEqual([]);
    expect([...c!].filter((pair) => b!.has(pair))).toEqual([]);
    const digest = createHash('sha256');
    for (const part of [parts.train, parts.valid, parts.test]) digest.update(part);
    // Of one table for all facts: datasets that were imported before keep their split.
    expect(digest.digest('hex').slice(0, 16)).toBe('43bccb68c83c3964');
  });

  it('refuses shares that leave nothing', () => {
    const triples = Int32Array.of(0, 0, 1);
    const random = createRandom(0);
    for (const shares of [
      { valid: 0.5, test: 0.5 },
      { valid: -0.1, test: 0.1 },
      { valid: Number.NaN, test: 0.1 },
    ]) {
      expect(() => splitTriples(triples, { entityCount, ...shares, random })).toThrow('shares');
    }
  });

  it.each([
    ['numbers that are no ids', [0, 0, 1.7], 'triples: expected an Int32Array, got [0,0,1.7]'],
    ['nothing', undefined, 'triples: expected an Int32Array, got nothing'],
    ['a fact in part', Int32Array.of(0, 0, 1, 5), 'triples: expected a length that 3 divides, got 4'],
    [
      'an entity that there is not',
      Int32Array.of(0, 0, entityCount),
      `entity: expected an id in [0, ${entityCount})`,
    ],
    ['a relation below 0', Int32Array.of(0, -2, 1), 'relation: expected an id of at least 0, got -2'],
  ])('refuses %s, which it would make facts of', (_, triples, message) => {
    const options = { entityCount, valid: 0.1, test: 0.1, random: createRandom(0) };
    // As callers without types do.
    expect(() => splitTriples(triples as Int32Array, options)).toThrow(message);
  });
});

function split(facts: readonly (readonly [number, number, number])[], seed: number) {
  const triples = Int32Array.from(facts.flat());
  return splitTriples(triples, { entityCount, valid: 0.1, test: 0.2, random: createRandom(seed) });
}
