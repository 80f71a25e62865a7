import { createKnowledgeGraph, createRandom } from '@fuzzqe/core';
import { describe, expect, it } from 'vitest';
import { fitLikeness } from './fit-likeness.ts';

/** 120 entities of three groups: each group has a place of its own, which half of its entities are known to live in. */
const groups = 3;
const entities = 120;
const place = (group: number): number => entities + group;
const random = createRandom('fit-likeness');
const triples: number[] = [];
const held: number[] = [];
for (let id = 0; id < entities; id += 1) {
  const fact = [id, 0, place(id % groups)];
  (id % 2 === 0 ? triples : held).push(...fact);
  // What says nothing of the group.
  triples.push(id, 2, entities + groups + random.below(20));
}
const train = createKnowledgeGraph({
  entityCount: entities + groups + 20,
  relationCount: 4,
  triples: Int32Array.from(triples),
});
const noise = (): number => 0.2 * (random.uniform() - 0.5);
const vectorOf =
  (told: boolean) =>
  (_: unknown, id: number): Float32Array =>
    Float32Array.from(
      { length: groups + 1 },
      (_, i) =>
        (told && id < entities && i === id % groups ? 1 : 0) +
        (id >= entities && i === groups ? 1 : 0) +
        noise(),
    );
const shareOf = (told: boolean, facts = held): number =>
  fitLikeness({
    train,
    held: Int32Array.from(facts),
    vectors: Array.from({ length: train.entityCount }, vectorOf(told)),
  });

describe('the share of the model in likeness', () => {
  it('is high where vectors know what facts do not say, and 0 where they know nothing', () => {
    // 60 facts, enough to say something.
    expect(shareOf(true)).toBeGreaterThanOrEqual(0.3);
    expect(shareOf(false)).toBe(0);
  });

  it('is 0 where few facts are held out', () => {
    expect(shareOf(true, held.slice(0, 30))).toBe(0);
  });
});
