import { changedFacts, createKnowledgeGraph, createRandom, type KnowledgeGraph } from '@fuzzqe/core';
import { createVocabulary } from '@fuzzqe/names';
import { describe, expect, it } from 'vitest';
import { findTypeRelations, rangeOf } from '../index.ts';
import { rangeAt, rangeTable } from './ranges.ts';

const graphOf = (entityCount: number, relationCount: number, triples: readonly number[]): KnowledgeGraph =>
  createKnowledgeGraph({ entityCount, relationCount, triples: Int32Array.from(triples) });

function randomGraph(
  seed: number,
  entityCount: number,
  relationCount: number,
  count: number,
): KnowledgeGraph {
  const random = createRandom(seed);
  const triples = Array.from({ length: count }, () => [
    random.below(entityCount),
    2 * random.below(relationCount / 2),
    random.below(entityCount),
  ]);
  return graphOf(entityCount, relationCount, triples.flat());
}

/** The definition in the docstring, over all pairs of relations. */
function definedRange(facts: KnowledgeGraph, relation: number, typeRelations: readonly number[]): number[] {
  const tails = new Set(facts.headsOf(relation ^ 1));
  const range = Array.from({ length: facts.entityCount }, () => 0.001);
  const raise = (holders: Int32Array, share: (hits: number) => number): void => {
    const hits = [...holders].filter((each) => tails.has(each)).length;
    for (const each of holders) range[each] = Math.max(range[each]!, share(hits));
  };
  for (let q = 0; q < facts.relationCount; q += 1) {
    const holders = facts.headsOf(q);
    raise(holders, (hits) => (q === (relation ^ 1) ? 1 : (hits + 0.02) / (holders.length + 1)));
  }
  for (const type of typeRelations)
    for (const each of facts.headsOf(type ^ 1)) {
      const holders = facts.tails(each, type ^ 1);
      if (holders.length >= 5) raise(holders, (hits) => (hits + 0.02) / (holders.length + 1));
    }
  return range.map(Math.fround);
}

describe('rangeOf', () => {
  it('is what its definition says', () => {
    for (let seed = 0; seed < 8; seed += 1) {
      const facts = randomGraph(seed, 30, 10, 60);
      for (const types of [[], [2], [2, 5, 2]])
        for (let relation = 0; relation < 10; relation += 1)
          expect([...rangeOf(facts, relation, { typeRelations: types })]).toEqual(
            definedRange(facts, relation, types),
          );
    }
    // Negative control: types make a difference.
    const typed = graphOf(10, 4, [0, 0, 9, 1, 0, 9, 2, 0, 9, 3, 0, 9, 4, 0, 9, 5, 0, 8, 6, 2, 0, 6, 2, 1]);
    expect(rangeOf(typed, 2)[4]).toBeCloseTo(2.02 / 7);
    expect(rangeOf(typed, 2, { typeRelations: [0] })[4]).toBeCloseTo(2.02 / 6);
    expect(rangeOf(typed, 2, { typeRelations: [0] })[5]).toBeCloseTo(2.02 / 7);
  });

  it('is the same for one entity, with and without kept ranges', () => {
    for (let seed = 0; seed < 8; seed += 1) {
      const facts = randomGraph(seed, 30, 10, 60);
      for (const typeRelations of [[], [2], [2, 5, 2]])
        for (let relation = 0; relation < 10; relation += 1) {
          const at = (): number[] =>
            Array.from({ length: 30 }, (_, entity) => rangeAt(facts, relation, entity, { typeRelations }));
          const before = at();
          expect(before).toEqual([...rangeOf(facts, relation, { typeRelations })]);
          expect(at()).toEqual(before);
        }
    }
    expect(() => rangeAt(randomGraph(1, 5, 2, 4), 2, 0)).toThrow('relation');
  });

  it('holds for a relation without facts, for one fact, and for an entity without facts', () => {
    const facts = graphOf(3, 4, [0, 0, 1]);
    expect([...rangeOf(facts, 0)]).toEqual([0.02 / 2, 1, 0.001].map(Math.fround));
    expect([...rangeOf(facts, 2)]).toEqual([0.02 / 2, 0.02 / 2, 0.001].map(Math.fround));
  });

  it('keeps the ranges used last, and computes the same again', () => {
    const entityCount = 2 ** 22;
    const facts = graphOf(entityCount, 20, [0, 0, 1, 1, 2, 2]);
    const first = rangeTable(facts, 0);
    for (let relation = 1; relation < 8; relation += 1) rangeTable(facts, relation);
    expect(rangeTable(facts, 0) === first).toBe(true);
    const second = rangeTable(facts, 1);
    for (let relation = 8; relation < 15; relation += 1) rangeTable(facts, relation);
    expect(rangeTable(facts, 1) === second).toBe(true);
    const again = rangeTable(facts, 0);
    // Negative control: eight of 8 MiB are kept.
    expect(again === first).toBe(false);
    // One comparison of 8 MiB: number by number it takes minutes.
    expect(Buffer.compare(Buffer.from(again.codes.buffer), Buffer.from(first.codes.buffer))).toBe(0);
    expect(again.values).toEqual(first.values);
  });

  it('answers for 10 000 relations of 63 361 entities without a matrix of relations', () => {
    const facts = randomGraph(5, 63_361, 20_000, 200_000);
    for (let relation = 0; relation < 20_000; relation += 400) {
      const range = rangeOf(facts, relation);
      for (const tail of facts.headsOf(relation ^ 1)) expect(range[tail]).toBe(1);
      expect(range.every((each) => each >= Math.fround(0.001) && each <= 1)).toBe(true);
    }
  });

  it('refuses relations that there are not', () => {
    const facts = graphOf(3, 4, [0, 0, 1]);
    expect(() => rangeOf(facts, 4)).toThrow('relation id: expected an integer in [0, 4)');
    expect(() => rangeOf(facts, 0, { typeRelations: [9] })).toThrow(
      expect.objectContaining({ path: '$.typeRelations[0]' }),
    );
  });
});

it('relations that say what an entity is are found by key and by name', () => {
  const named = (key: string, label = key) => ({ key, label });
  const vocabulary = createVocabulary({
    entities: [named('e')],
    relations: [
      named('http://www.w3.org/1999/02/22-rdf-syntax-ns#type', 'is'),
      named('subclass of'),
      named('wdt:P31', 'instance of'),
      named('http://example.org/p', 'instanceOf'),
      named('r', 'Instance_of'),
      named('isA'),
      named('type of contract'),
      named('http://example.org/type', 'artType'),
    ],
  });
  expect(findTypeRelations(vocabulary)).toEqual([0, 4, 6, 8, 10]);
});

describe('rangeOf after changes', () => {
  it.each([1, 2, 3])(
    'takes the attributes that entities have now, with the shares of before, seed %i',
    (seed) => {
      const [entityCount, relationCount, type] = [60, 8, 2];
      const before = randomGraph(seed, entityCount, relationCount, 260);
      const random = createRandom('changes', seed);
      const draw = (count: number) =>
        Array.from({ length: count }, () => [
          random.below(entityCount),
          2 * random.below(relationCount / 2),
          random.below(entityCount),
        ]);
      const removed = before.forwardTriples().slice(0, 90);
      const { graph } = changedFacts(before, { added: Int32Array.from(draw(20).flat()), removed });
      const options = { typeRelations: [type] };
      for (let relation = 0; relation < relationCount; relation += 1) {
        const tails = new Set(before.headsOf(relation ^ 1));
        const shareOf = (holders: Int32Array): number =>
          ([...holders].filter((each) => tails.has(each)).length + 0.02) / (holders.length + 1);
        const expected = Array.from({ length: entityCount }, (_, entity) => {
          const shares = [...graph.relationsOf(entity)].map((each) =>
            each === (relation ^ 1) ? 1 : shareOf(before.headsOf(each)),
          );
          for (const each of graph.tails(entity, type)) {
            const instances = before.tails(each, type ^ 1);
            if (instances.length >= 5) shares.push(shareOf(instances));
          }
          return Math.fround(Math.max(0.001, ...shares));
        });
        const range = rangeOf(graph, relation, options);
        expect([...range]).toEqual(expected);
        // The change changes something, and nothing of the graph before.
        expect(range).not.toEqual(rangeOf(before, relation, options));
        expect(rangeOf(before, relation, options)).toEqual(
          rangeOf(graphOf(entityCount, relationCount, [...before.forwardTriples()]), relation, options),
        );
        for (const tail of graph.headsOf(relation ^ 1)) expect(range[tail]).toBe(1);
      }
    },
  );
});
