import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FuzzError } from '../errors.ts';
import { headOfGroup } from './adjacency.ts';
import { createKnowledgeGraph, graphOfFacts, shareGraph } from './knowledge-graph.ts';

const make = (triples: readonly number[], entityCount = 5, relationCount = 4) =>
  createKnowledgeGraph({ entityCount, relationCount, triples: Int32Array.from(triples) });

describe('createKnowledgeGraph', () => {
  const graph = make([0, 0, 1, 0, 0, 2, 3, 2, 0, 0, 0, 1, 1, 1, 0]);

  it('stores every fact in both directions, once', () => {
    expect([...graph.tails(0, 0)]).toEqual([1, 2]);
    expect([...graph.tails(1, 1)]).toEqual([0]);
    expect([...graph.tails(0, 3)]).toEqual([3]);
    expect(graph.edgeCount).toBe(6);
    expect(graph.has(3, 2, 0)).toBe(true);
    expect(graph.has(0, 3, 3)).toBe(true);
    expect(graph.has(0, 2, 3)).toBe(false);
  });

  it('counts repeated facts, also those given as their inverse', () => {
    expect(graph.duplicateCount).toBe(2);
  });

  it('lists what leaves an entity and where a relation starts', () => {
    expect([...graph.relationsOf(0)]).toEqual([0, 3]);
    expect(graph.degree(0)).toBe(3);
    expect(graph.degree(4)).toBe(0);
    expect([...graph.headsOf(1)]).toEqual([1, 2]);
    expect([...graph.forwardTriples()]).toEqual([0, 0, 1, 0, 0, 2, 3, 2, 0]);
  });

  it('has nothing for ids it does not know', () => {
    expect(graph.tails(99, 0).length + graph.tails(0, 99).length + graph.tails(-1, 0).length).toBe(0);
    expect(graph.relationsOf(5).length + graph.headsOf(4).length + graph.degree(5)).toBe(0);
  });

  it('agrees with a plain search through the facts', () => {
    const ids = fc.tuple(fc.nat(6), fc.nat(5), fc.nat(6));
    fc.assert(
      fc.property(fc.array(ids, { minLength: 1, maxLength: 40 }), (facts) => {
        const g = make(facts.flat(), 7, 6);
        const holds = (h: number, r: number, t: number) =>
          facts.some(([a, b, c]) => (a === h && b === r && c === t) || (c === h && (b ^ 1) === r && a === t));
        let edges = 0;
        const all = [0, 1, 2, 3, 4, 5, 6];
        for (const h of all) {
          for (const r of all.slice(0, 6)) {
            const expected = all.filter((t) => holds(h, r, t));
            expect([...g.tails(h, r)]).toEqual(expected);
            expect(g.headsOf(r).includes(h)).toBe(expected.length > 0);
            expect(g.relationsOf(h).includes(r)).toBe(expected.length > 0);
            for (const t of all) expect(g.has(h, r, t)).toBe(expected.includes(t));
            edges += expected.length;
          }
        }
        expect(g.edgeCount).toBe(edges);
        expect(make([...g.forwardTriples()], 7, 6).forwardTriples()).toEqual(g.forwardTriples());
      }),
      { numRuns: 50 },
    );
  });

  it('has the same index where the facts were in order already', () => {
    const ids = fc.tuple(fc.nat(6), fc.nat(5), fc.nat(6));
    fc.assert(
      fc.property(fc.array(ids, { minLength: 1, maxLength: 60 }), (facts) => {
        const g = make(facts.flat(), 7, 6);
        const triples = g.forwardTriples();
        const ordered = graphOfFacts({ entityCount: 7, relationCount: 6, triples });
        expect(ordered.index).toEqual(g.index);
        const shared = graphOfFacts({ entityCount: 7, relationCount: 6, triples, shared: true });
        expect(shareGraph(shared)).toBe(shared);
        expect(Object.values(shared.index).every(({ buffer }) => buffer instanceof SharedArrayBuffer)).toBe(
          true,
        );
        expect(shared.tails(3, 1)).toEqual(g.tails(3, 1));
      }),
      { numRuns: 100 },
    );
  });

  it('finds the head of each group, past entities without facts', () => {
    const { index } = make([2, 0, 4, 2, 2, 4, 5, 0, 2], 8);
    const heads = Array.from(index.groupRelations, (_, group) => headOfGroup(index, group));
    expect(heads).toEqual([2, 2, 2, 4, 4, 5]);
  });

  it('lies in memory that threads share where that is asked for, with the same index', () => {
    const shared = shareGraph(graph);
    expect(graph.index.tails.buffer).toBeInstanceOf(ArrayBuffer);
    for (const values of Object.values(shared.index)) expect(values.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(shared.index).toEqual(graph.index);
    expect(shareGraph(shared)).toBe(shared);
    const triples = graph.forwardTriples();
    const asked = createKnowledgeGraph({ entityCount: 5, relationCount: 4, triples, shared: true });
    expect(asked.index).toEqual(graph.index);
    expect(shareGraph(asked)).toBe(asked);
  });

  it('unites the facts of two graphs', () => {
    const both = graph.union(make([4, 0, 4, 0, 0, 1]));
    expect([...both.forwardTriples()]).toEqual([0, 0, 1, 0, 0, 2, 3, 2, 0, 4, 0, 4]);
    expect(() => graph.union(make([0, 0, 1], 6))).toThrow('expected 5 entities and 4 relations, got 6 and 4');
  });

  it.each([
    ['no triples', [], 5, 4, 'at least one, got none'],
    ['a length that 3 does not divide', [0, 0], 5, 4, 'that 3 divides, got 2'],
    ['no entities', [0, 0, 0], 0, 4, 'entityCount: expected an integer in [1, 2147483647], got 0'],
    [
      'an odd number of relations',
      [0, 0, 0],
      5,
      3,
      'relationCount: expected an even integer in [1, 2147483647], got 3',
    ],
    ['more entities than there are numbers', [0, 0, 0], 1e12, 4, 'got 1000000000000'],
    ['more relations than there are numbers', [0, 0, 0], 5, 1e12, 'got 1000000000000'],
    ['a head out of range', [0, 0, 0, 5, 0, 0], 5, 4, 'head: expected an id in [0, 5), got 5'],
    ['a negative tail', [0, 0, 0, 0, 0, -1], 5, 4, 'tail: expected an id in [0, 5), got -1'],
    ['a relation out of range', [0, 0, 0, 0, 4, 0], 5, 4, 'relation: expected an id in [0, 4), got 4'],
  ])('refuses %s', (_, triples, entities, relations, message) => {
    expect(() => make(triples, entities, relations)).toThrow(message);
  });

  it.each([
    [undefined, 'got nothing'],
    [[0, 0, 1], 'got [0,0,1]'],
    ['a', 'got "a"'],
  ])('refuses %j in the place of triples', (triples, got) => {
    // Callers without types can ask so.
    const input = { entityCount: 3, relationCount: 2, triples: triples as unknown as Int32Array };
    expect(() => createKnowledgeGraph(input)).toThrow(`triples: expected an Int32Array, ${got}`);
  });

  it('says which triple is wrong', () => {
    try {
      make([0, 0, 0, 0, 9, 0]);
      expect.unreachable();
    } catch (error) {
      expect(error instanceof FuzzError && error.path).toBe('triples[1]');
    }
  });
});
