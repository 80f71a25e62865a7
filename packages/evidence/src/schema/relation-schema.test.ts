import { createKnowledgeGraph, createRandom, type KnowledgeGraph } from '@fuzzqe/core';
import { describe, expect, it } from 'vitest';
import { describeSchema, mayBeReflexive, secondTailShare } from '../index.ts';

type Facts = readonly (readonly [number, number, number])[];

const graphOf = (entityCount: number, relationCount: number, triples: Facts): KnowledgeGraph =>
  createKnowledgeGraph({ entityCount, relationCount, triples: Int32Array.from(triples.flat()) });

/** 10 couples who are married both ways, but for one of which one fact is missing; 0 … 9 know themselves. */
const couples: Facts = Array.from(
  { length: 10 },
  (_, i): Facts => [
    [i, 0, i + 10],
    [i + 10, 0, i],
    [i, 2, i],
  ],
).flat();

describe('describeSchema', () => {
  it('counts what is the same the other way round, and does not call it so where it fails', () => {
    const [whole] = describeSchema(graphOf(20, 4, couples));
    expect(whole!.symmetric).toEqual({ verdict: 'always', hits: 20, of: 20, share: 1, few: false });
    const [most] = describeSchema(
      graphOf(
        20,
        4,
        couples.filter((_, i) => i !== 1),
      ),
    );
    expect(most!.symmetric).toMatchObject({ verdict: 'mostly', hits: 18, of: 19 });
    // Negative control: nobody's parent is their child.
    const parents = graphOf(
      20,
      2,
      couples.filter(([h, r]) => r === 0 && h < 10),
    );
    expect(describeSchema(parents)[0]!.symmetric).toMatchObject({ verdict: 'never', hits: 0, of: 10 });
  });

  it('counts self loops among the entities that could have one', () => {
    const facts = graphOf(20, 4, [...couples, [3, 2, 4]]);
    const [married, knows] = describeSchema(facts);
    expect(married!.reflexive).toMatchObject({ verdict: 'never', hits: 0, of: 20 });
    expect(knows!.reflexive).toMatchObject({ verdict: 'always', hits: 10, of: 10 });
    expect(knows!.symmetric).toMatchObject({ verdict: 'never', hits: 0, of: 1, few: true });
    expect([0, 1, 2, 3, 4, -1].map((r) => mayBeReflexive(facts, r))).toEqual([
      false,
      false,
      true,
      true,
      false,
      false,
    ]);
  });

  it('says how many heads have one tail', () => {
    const facts = graphOf(20, 4, [...couples, [0, 0, 12]]);
    const [married] = describeSchema(facts);
    expect(married!.functional).toMatchObject({ verdict: 'mostly', hits: 19, of: 20 });
    expect(married!.inverseFunctional).toMatchObject({ verdict: 'mostly', hits: 19, of: 20 });
    expect(secondTailShare(facts, 0)).toBe(2 / 21);
    expect(secondTailShare(facts, 1)).toBe(2 / 21);
    // Negative control: without the second tail.
    expect(secondTailShare(graphOf(20, 4, couples), 0)).toBe(1 / 21);
    expect(() => secondTailShare(facts, 4)).toThrow(expect.objectContaining({ code: 'range' }));
  });

  it('names inverses, equals and what is part of a relation', () => {
    const parent = (i: number): Facts => [
      [i, 0, i + 10],
      [i + 10, 2, i],
      [i, 4, i + 10],
    ];
    const facts = graphOf(20, 8, [
      ...Array.from({ length: 10 }, (_, i) => parent(i)).flat(),
      ...Array.from({ length: 9 }, (_, i): Facts[number] => [i, 4, i + 1]),
      ...Array.from({ length: 10 }, (_, i): Facts[number] => [i, 6, 19 - i]),
    ]);
    const [ofParent, ofChild, ofKnows, ofOther] = describeSchema(facts);
    expect(ofParent!.overlaps).toEqual([
      { relation: 3, hits: 10, of: 10, ofOther: 10, kind: 'equal' },
      { relation: 4, hits: 10, of: 10, ofOther: 19, kind: 'contained' },
    ]);
    expect(ofChild!.overlaps.map(({ relation }) => relation)).toEqual([1, 5]);
    // Negative controls: half of the facts are no overlap, and the same heads and tails are not the same facts.
    expect(ofKnows!.overlaps).toEqual([]);
    expect(ofOther!.overlaps).toEqual([]);
  });

  it('describes heads and tails by classes where they have some, else by relations', () => {
    const works: Facts = Array.from(
      { length: 8 },
      (_, i): Facts => [
        [i, 0, 8 + (i % 2)],
        [i, 2, 10],
        [8 + (i % 2), 2, 11],
      ],
    ).flat();
    const facts = graphOf(12, 4, [...works, [9, 2, 10]]);
    const [typed] = describeSchema(facts, { typeRelations: [2], relations: [1] });
    expect(typed!.domain).toEqual({
      by: 'classes',
      entities: 8,
      kinds: [{ relation: 2, class: 10, hits: 8, holders: 9 }],
    });
    expect(typed!.range.kinds).toEqual([
      { relation: 2, class: 11, hits: 2, holders: 2 },
      { relation: 2, class: 10, hits: 1, holders: 9 },
    ]);
    const [untyped] = describeSchema(facts, { relations: [0] });
    expect(untyped!.domain).toEqual({
      by: 'relations',
      entities: 8,
      kinds: [{ relation: 2, class: undefined, hits: 8, holders: 10 }],
    });
  });

  it('says of a relation with one fact that it is few, and of one without facts that nothing is known', () => {
    const [one, none] = describeSchema(graphOf(3, 4, [[0, 0, 1]]));
    expect(one!.functional).toEqual({ verdict: 'always', hits: 1, of: 1, share: 1, few: true });
    expect(one!.reflexive).toEqual({ verdict: 'unknown', hits: 0, of: 0, share: 0, few: true });
    expect(none).toMatchObject({ facts: 0, heads: 0, tails: 0, overlaps: [] });
    expect(none!.functional.verdict).toBe('unknown');
    expect(none!.range).toEqual({ by: 'relations', entities: 0, kinds: [] });
    expect(secondTailShare(graphOf(3, 4, [[0, 0, 1]]), 2)).toBe(1);
    expect(describeSchema(graphOf(3, 4, [[0, 0, 1]]), { relations: [] })).toEqual([]);
    expect(() => describeSchema(graphOf(3, 4, [[0, 0, 1]]), { relations: [0, 7] })).toThrow(
      expect.objectContaining({ code: 'range', path: '$.relations[1]' }),
    );
  });

  it('describes 10 000 relations of 63 361 entities, and 500 relations between the same two', () => {
    const random = createRandom(3);
    const facts = graphOf(
      63_361,
      20_000,
      Array.from({ length: 150_000 }, () => [
        random.below(63_361),
        2 * random.below(10_000),
        random.below(63_361),
      ]),
    );
    const schema = describeSchema(facts, { typeRelations: [4] });
    expect(schema.length).toBe(10_000);
    expect(schema.reduce((sum, { facts: count }) => sum + count, 0)).toBe(facts.edgeCount / 2);
    const same = graphOf(
      2,
      1_000,
      Array.from({ length: 500 }, (_, i) => [0, 2 * i, 1]),
    );
    expect(describeSchema(same).every(({ overlaps }) => overlaps.length === 10)).toBe(true);
  });
});
