import { expect, it } from 'vitest';
import { createKnowledgeGraph, type KnowledgeGraph } from '../kg/knowledge-graph.ts';
import { defaultCalibration } from './calibration.ts';
import { joinNeighbours, namedNeighbours, neighbourLinks, neighbourSet } from './neighbour-links.ts';
import { createSetLogic } from './set-logic.ts';

const calibration = {
  ...defaultCalibration,
  neighbourWeight: 2,
  exclusivity: 0,
  weight: 0.1,
  exponent: 0,
  cap: 0.3,
};
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
  const { ids, degrees } = neighbourLinks(calibration, { facts }, 0, likes);
  // Nobody who likes 32 shares anything with 0.
  expect([...ids]).toEqual([30, 31]);
  const [rare, frequent] = [Math.log(40 / 2) ** 2, Math.log(40 / 9) ** 2];
  const own = rare + frequent;
  const liking = (liked: number): number => Math.log(40 / liked) ** 2;
  const first = rare ** 2 / (own * (rare + liking(1)));
  const others = 2 * (frequent ** 2 / (own * (frequent + liking(2))));
  expect(degrees[0]).toBeCloseTo((0.2 * first) / (first + others), 6);
  expect(degrees[1]).toBeCloseTo((0.2 * others) / (first + others), 6);
  expect(first).toBeGreaterThan(others);
});

it('says nothing of what is recorded, of heads that share nothing, or with the weight 0', () => {
  const recorded = facts.union(graph(40, [[0, likes, 30]]));
  expect([...neighbourLinks(calibration, { facts: recorded }, 0, likes).ids]).toEqual([31]);
  expect(neighbourLinks(calibration, { facts }, 33, likes).ids).toHaveLength(0);
  expect(neighbourLinks({ ...calibration, neighbourWeight: 0 }, { facts }, 0, likes).ids).toHaveLength(0);
  expect(Math.max(...neighbourLinks({ ...calibration, weight: 9 }, { facts }, 0, likes).degrees)).toBe(
    Math.fround(0.3),
  );
});

it('takes a recorded head for evidence against others where tails have one head each', () => {
  // Of nine tails of a relation none has a second head.
  const one = graph(40, [
    [0, lives, 20],
    ...Array.from({ length: 9 }, (_, i) => [1 + i, lives, 20]),
    ...Array.from({ length: 9 }, (_, i) => [1 + i, likes, 30 + i]),
  ]);
  const of = (exclusivity: number): number =>
    neighbourLinks({ ...calibration, exclusivity }, { facts: one }, 0, likes).degrees[0]!;
  expect(of(1) / of(0)).toBeCloseTo(8 / 10, 6);
});

it('names those of the neighbours that have a tail recorded', () => {
  const of = namedNeighbours(calibration, facts, 0, likes);
  expect([30, 31, 32].map(of)).toEqual([[1], [2, 3], []]);
  expect(namedNeighbours({ neighbourWeight: 0 }, facts, 0, likes)(30)).toEqual([]);
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
  const { ids } = neighbourLinks(calibration, { facts: many }, 0, likes);
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
    neighbourLinks(calibration, { facts: graph(20_000, triples) }, 0, likes).ids.length;
  expect(of(few)).toBe(16_384);
  // The other head is the more similar one, since it has less beside what is shared.
  expect(of([...few, [2, likes, 31]])).toBe(2);
});

it('takes of the certain members of a set the one through which most is said, and raises nothing above the cap', () => {
  const logic = createSetLogic('product', calibration);
  const members = { ids: Int32Array.of(0, 2), degrees: Float32Array.of(0.96, 1) };
  const of = (head: number): Map<number, number> => {
    const { ids, degrees } = neighbourLinks(calibration, { facts }, head, likes);
    return new Map(Array.from(ids, (id, i) => [id, degrees[i]!]));
  };
  const { ids, degrees } = neighbourSet(logic, calibration, { facts }, members, likes);
  expect([...ids]).toEqual([...new Set([...of(0).keys(), ...of(2).keys()])].sort());
  ids.forEach((id, i) => {
    expect(degrees[i]).toBe(
      Math.fround(Math.max(Math.fround(0.96) * (of(0).get(id) ?? 0), of(2).get(id) ?? 0)),
    );
  });
  const uncertain = { ids: members.ids, degrees: Float32Array.of(0.96, 0.94) };
  expect([...neighbourSet(logic, calibration, { facts }, uncertain, likes).ids]).toEqual([...of(0).keys()]);

  const set = Float32Array.of(0.25, 0.5, 0.1, 0);
  joinNeighbours(logic, calibration, set, {
    ids: Int32Array.of(0, 1, 3),
    degrees: Float32Array.of(0.2, 0.2, 0.2),
  });
  expect([...set]).toEqual([0.3, 0.5, 0.1, 0.2].map(Math.fround));
});
