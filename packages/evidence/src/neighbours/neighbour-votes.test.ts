import { createKnowledgeGraph, type KnowledgeGraph } from '@fuzzqe/core';
import { expect, it } from 'vitest';
import { namedNeighbours, neighbourVotes } from './neighbour-votes.ts';

const graph = (entityCount: number, triples: readonly (readonly number[])[]): KnowledgeGraph =>
  createKnowledgeGraph({ entityCount, relationCount: 4, triples: Int32Array.from(triples.flat()) });
const [likes, lives] = [0, 2];

/** Entity 0 shares a rare attribute with 1 and a frequent one with 2 to 9; who likes what differs. */
const facts = graph(40, [
  [0, lives, 20],
  [1, lives, 20],
  [0, lives, 21],
  ...Array.from({ length: 8 }, (_, i) => [2 + i, lives, 21]),
  [1, likes, 30],
  [2, likes, 31],
  [3, likes, 31],
  [10, likes, 32],
]);

it('says what the most similar heads have recorded, the rarer what they share, the more', () => {
  const { ids, shares } = neighbourVotes(facts, 0, likes);
  // Nobody who likes 32 shares anything with 0.
  expect([...ids]).toEqual([30, 31]);
  const [rare, frequent] = [Math.log(40 / 2) ** 2, Math.log(40 / 9) ** 2];
  const own = rare + frequent;
  const liking = (liked: number): number => Math.log(40 / liked) ** 2;
  const first = rare ** 2 / (own * (rare + liking(1)));
  const others = 2 * (frequent ** 2 / (own * (frequent + liking(2))));
  expect(shares[0]).toBeCloseTo(first / (first + others), 6);
  expect(shares[1]).toBeCloseTo(others / (first + others), 6);
  expect(first).toBeGreaterThan(others);
});

it('says nothing of what is recorded, or of heads that share nothing', () => {
  const recorded = facts.union(graph(40, [[0, likes, 30]]));
  const { ids, shares } = neighbourVotes(recorded, 0, likes);
  expect([...ids]).toEqual([31]);
  expect([...shares]).toEqual([1]);
  expect(neighbourVotes(facts, 33, likes).ids).toHaveLength(0);
});

it('votes add up to 1, and leave nothing behind for the next', () => {
  const first = neighbourVotes(facts, 0, likes);
  for (let head = 0; head < 40; head += 1) {
    const { shares } = neighbourVotes(facts, head, likes);
    const total = shares.reduce((sum, share) => sum + share, 0);
    if (shares.length > 0) expect(total).toBeCloseTo(1, 6);
  }
  expect(neighbourVotes(facts, 0, likes)).toEqual(first);
});

it('names those of the neighbours that have a tail recorded', () => {
  const of = namedNeighbours(facts, 0, likes);
  expect([30, 31, 32].map(of)).toEqual([[1], [2, 3], []]);
});

it('asks the 64 most similar heads, of equally similar ones those of lower ids', () => {
  // 150 heads share one attribute with entity 0 and have a tail each; twenty of the last share a second one.
  const heads = Array.from({ length: 150 }, (_, i) => 1 + i);
  const many = graph(400, [
    [0, lives, 390],
    [0, lives, 391],
    ...heads.map((head) => [head, lives, 390]),
    ...heads.slice(130).map((head) => [head, lives, 391]),
    ...heads.map((head) => [head, likes, 200 + head]),
  ]);
  const { ids } = neighbourVotes(many, 0, likes);
  const asked = [...heads.slice(0, 44), ...heads.slice(130)];
  expect([...ids]).toEqual(asked.map((head) => 200 + head));
});

it('asks the most similar heads that have no more than 2¹⁴ tails together', () => {
  // Of two heads one has nearly all the tails that may be.
  const tails = Array.from({ length: 16_383 }, (_, i) => 1000 + i);
  const few = [
    [0, lives, 20],
    [1, lives, 20],
    [2, lives, 20],
    ...tails.map((tail) => [1, likes, tail]),
    [2, likes, 30],
  ];
  const of = (triples: readonly (readonly number[])[]): number =>
    neighbourVotes(graph(20_000, triples), 0, likes).ids.length;
  expect(of(few)).toBe(16_384);
  // The other head is the more similar one, since it has less beside what is shared.
  expect(of([...few, [2, likes, 31]])).toBe(2);
});
