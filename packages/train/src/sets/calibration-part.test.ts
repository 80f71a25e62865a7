import { createKnowledgeGraph, createRandom } from '@fuzzqe/core';
import { createQueriesBuilder, queryRow } from '@fuzzqe/data';
import { expect, it } from 'vitest';
import { tinyConfig } from '../testing/tiny-run.ts';
import { calibrationPart } from './calibration-part.ts';

const entityCount = 500;
const random = createRandom('part');
// Chains i → i + 7 → i + 14 along relation 0, and random facts along relation 2.
const facts = createKnowledgeGraph({
  entityCount,
  relationCount: 4,
  triples: Int32Array.from({ length: 3 * 1500 }, (_, i) => {
    const [fact, place] = [Math.floor(i / 3), i % 3];
    if (fact < 490) return [fact, 0, fact + 7][place]!;
    return place === 1 ? 2 : random.below(entityCount);
  }),
});
const queries = createQueriesBuilder<string>('2p');
for (const anchor of [3, 90, 481])
  queries.add({ anchors: [anchor], relations: [0, 0], easy: [anchor + 14, 499], hard: [anchor + 15] });
const input = {
  model: { ...tinyConfig().model, entities: entityCount, relations: 4, dimension: 1 },
  parameters: {
    // The row of an entity is its number, by which it is known in the part.
    entities: Float32Array.from({ length: entityCount }, (_, id) => id),
    coefficients: new Float32Array(),
    bases: new Float32Array(),
    biasBases: new Float32Array(),
  },
  facts,
  queries: [queries.build()],
};

it('a part has the entities of the queries, others at random, and all facts among them', () => {
  const part = calibrationPart(input, 60, createRandom('a'));
  const ids = Array.from(part.parameters.entities);
  expect([part.model.entities, part.facts.entityCount, ids.length]).toEqual([60, 60, 60]);
  expect(ids.toSorted((a, b) => a - b)).toEqual(ids);
  // An anchor, the entity behind it and its answers.
  for (const id of [3, 10, 18, 90, 97, 105, 481, 488, 496]) expect(ids).toContain(id);
  for (const [h, head] of ids.entries())
    for (const [t, tail] of ids.entries())
      for (const relation of [0, 1, 2, 3])
        expect(part.facts.has(h, relation, t)).toBe(facts.has(head, relation, tail));
  const rows = [0, 1, 2].map((row) => queryRow(part.queries[0]!, row));
  expect(rows.map(({ anchors, hard }) => [ids[anchors[0]!], ids[hard[0]!]])).toEqual([
    [3, 18],
    [90, 105],
    [481, 496],
  ]);
  expect(rows.flatMap(({ relations }) => Array.from(relations))).toEqual([0, 0, 0, 0, 0, 0]);
});

it('a part is the same for the same seed, and leaves queries out that have no place', () => {
  const [one, again, other] = ['a', 'a', 'b'].map((seed) => calibrationPart(input, 60, createRandom(seed)));
  expect(again!.parameters.entities).toEqual(one!.parameters.entities);
  expect(other!.parameters.entities).not.toEqual(one!.parameters.entities);
  const small = calibrationPart(input, 4, createRandom('a'));
  expect(small.queries.map(({ count }) => count)).toEqual([1]);
});
