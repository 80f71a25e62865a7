import { changedFacts, createKnowledgeGraph, type KnowledgeGraph } from '@fuzzqe/core';
import { expect, it } from 'vitest';
import { sharedFacts, similarEntities } from './similar-entities.ts';
import { similarHeads } from './similar-heads.ts';

const [likes, lives] = [0, 2];
const graph = (triples: readonly (readonly number[])[]): KnowledgeGraph =>
  createKnowledgeGraph({ entityCount: 40, relationCount: 4, triples: Int32Array.from(triples.flat()) });

/** 0 and 1 share something rare, 0 and 2 to 9 something frequent; 10 has the same facts as 0. */
const facts = graph([
  [0, lives, 20],
  [1, lives, 20],
  [10, lives, 20],
  ...[0, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((head) => [head, lives, 21]),
  [11, likes, 30],
  [30, lives, 12],
]);

it('are all that have a fact in common with an entity, whatever their relations, but for itself', () => {
  const { ids, degrees } = similarEntities(facts, 0);
  expect([...ids]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  // The rarer what is shared, the more similar; who has the same facts is not the same.
  expect(degrees[0]).toBeGreaterThan(degrees[1]!);
  expect(degrees[9]).toBeCloseTo(0.999, 6);
  const heads = similarHeads(facts, 0, lives);
  expect(degrees[0]).toBe(heads.cosines[[...heads.heads].indexOf(1)]);
  expect(similarEntities(facts, 12).ids).toHaveLength(0);
  expect(similarEntities(facts, 39).ids).toHaveLength(0);
});

it('have degrees that are the sums of what is shared, the rarest first', () => {
  const { ids, degrees } = similarEntities(facts, 0);
  for (const [i, id] of ids.entries()) {
    const shared = sharedFacts(facts, 0, id, 10);
    const sum = shared.reduce((total, { share }) => total + share, 0);
    expect(Math.min(sum, 0.999)).toBeCloseTo(degrees[i]!, 6);
  }
  expect(sharedFacts(facts, 0, 10, 10).map(({ relation, entity }) => [relation, entity])).toEqual([
    [lives, 20],
    [lives, 21],
  ]);
  expect(sharedFacts(facts, 0, 10, 1)).toHaveLength(1);
  expect(sharedFacts(facts, 0, 11, 10)).toEqual([]);
});

it('are those of a model, too, by its share, and by facts alone where they came after the model', () => {
  const cosines = new Float32Array(20).fill(-1);
  cosines[1] = 0.5;
  cosines[15] = 0.8;
  const alone = similarEntities(facts, 0);
  const degreeOf = (share: number, id: number): number => {
    const { ids, degrees } = similarEntities(facts, 0, { share, cosines });
    return degrees[ids.indexOf(id)] ?? 0;
  };
  const byFacts = alone.degrees[alone.ids.indexOf(1)]!;
  expect(degreeOf(0.4, 1)).toBeCloseTo(0.6 * byFacts + 0.4 * 0.5, 6);
  expect(degreeOf(0.4, 15)).toBeCloseTo(0.32, 6);
  expect([...similarEntities(facts, 0, { share: 1, cosines }).ids]).toEqual([1, 15]);
  // Negative control: a share of 0 leaves the facts.
  expect(similarEntities(facts, 0, { share: 0, cosines })).toEqual(alone);
  expect(degreeOf(0, 15)).toBe(0);
  const few = similarEntities(facts, 0, { share: 1, cosines: cosines.subarray(0, 5) });
  expect(few.degrees[few.ids.indexOf(7)]).toBe(alone.degrees[alone.ids.indexOf(7)]);
});

it('follow changes of facts', () => {
  const removed = changedFacts(facts, { removed: Int32Array.of(1, lives, 20) }).graph;
  expect([...similarEntities(removed, 0).ids]).not.toContain(1);
  expect(sharedFacts(removed, 0, 1, 10)).toEqual([]);
  const added = changedFacts(facts, { added: Int32Array.of(11, lives, 20) }).graph;
  expect([...similarEntities(added, 0).ids]).toContain(11);
  expect(sharedFacts(added, 0, 11, 10)).toHaveLength(1);
});
