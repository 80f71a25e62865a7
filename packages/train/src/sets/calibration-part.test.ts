import { createKnowledgeGraph, createRandom } from '@fuzzqe/core';
import { initialiseParameters } from '@fuzzqe/core/model';
import { defaultCalibration } from '@fuzzqe/core/sets';
import { createQueriesBuilder, queryRow, structureOf } from '@fuzzqe/data';
import { expect, it } from 'vitest';
import { tinyConfig } from '../testing/tiny-run.ts';
import { calibrationPart } from './calibration-part.ts';
import { openSetsScorer, type WholeGraph } from './sets-scorer.ts';

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

it('a part in which a structure would lose all its queries is refused, and named', () => {
  const other = createQueriesBuilder<string>('1p');
  other.add({ anchors: [200], relations: [0], easy: [], hard: [207] });
  const both = {
    ...input,
    queries: [queries.build(), other.build(), createQueriesBuilder<string>('3p').build()],
  };
  expect(() => calibrationPart(both, 4, createRandom('a'))).toThrow(
    'expected queries of every structure among 4 entities, got none of 1p',
  );
  // What had none before has lost none.
  expect(calibrationPart(both, 60, createRandom('a')).queries.map(({ count }) => count)).toEqual([3, 1, 0]);
});

it('degrees in a part are those of the whole graph', async () => {
  const large = { entityCount: 12_800, relationCount: 2 };
  // Head 0 has 64 tails, others have one, and each tail one head.
  const whole = createKnowledgeGraph({
    ...large,
    triples: Int32Array.from({ length: 3 * 640 }, (_, i) => {
      const fact = Math.floor(i / 3);
      return [fact < 64 ? 0 : fact, 0, 1000 + 3 * fact][i % 3]!;
    }),
  });
  const model = { ...input.model, entities: large.entityCount, relations: 2, dimension: 12, bases: 2 };
  const parameters = initialiseParameters(model, createRandom('whole'), 'paper');
  const oneHop = createQueriesBuilder<string>('1p');
  oneHop.add({ anchors: [0], relations: [0], easy: [], hard: [7] });
  const all = { model, parameters, facts: whole, queries: [oneHop.build()] };
  const part = calibrationPart(all, 400, createRandom('a'));
  const d = model.dimension;
  const idOf = new Map(
    Array.from({ length: large.entityCount }, (_, id) => [parameters.entities[id * d]!, id] as const),
  );
  const ids = Array.from({ length: 400 }, (_, row) => idOf.get(part.parameters.entities[row * d]!)!);
  const settings = { ...defaultCalibration, temperature: 2, weight: 0.1, cap: 0.8, exclusivity: 1 };
  const wholeSets = await openSetsScorer({ ...all, threads: 1 });
  const degreesOf = async (
    of: Omit<typeof all, 'queries'> & { readonly whole?: WholeGraph | undefined },
  ): Promise<Float32Array> => {
    const sets = await openSetsScorer({ ...of, threads: 1 });
    const degrees = await sets.score(settings)(structureOf('1p'), Int32Array.of(0), Int32Array.of(0), 1);
    await sets.close();
    return degrees;
  };
  const there = await degreesOf(all);
  const open = ids.flatMap((id, row) => (there[id]! < 1 ? [{ id, row }] : []));
  expect(open.length).toBeGreaterThan(50);
  const ratios = (here: Float32Array): number[] => open.map(({ id, row }) => here[row]! / there[id]!);
  const inPart = await degreesOf({ ...part, whole: { ...part.whole!, partitions: wholeSets.partitions } });
  for (const ratio of ratios(inPart)) expect(Math.abs(ratio - 1)).toBeLessThan(1e-4);
  await wholeSets.close();
  // The part by itself is another graph, which the comparison tells.
  for (const ratio of ratios(await degreesOf({ ...part, whole: undefined })))
    expect(Math.abs(Math.log(ratio))).toBeGreaterThan(1);
});

it('where places end, all structures keep about as many queries', () => {
  const builders = (['1p', '2p', '3p'] as const).map((structure, part) => {
    const builder = createQueriesBuilder<string>(structure);
    for (let row = 0; row < 40; row += 1) {
      const anchor = 40 * part + row;
      const relations = Array.from({ length: part + 1 }, () => 0);
      builder.add({ anchors: [anchor], relations, easy: [], hard: [200 + anchor] });
    }
    return builder.build();
  });
  const { queries: left } = calibrationPart({ ...input, queries: builders }, 120, createRandom('a'));
  const counts = left.map(({ count }) => count);
  expect(Math.min(...counts)).toBeGreaterThanOrEqual(10);
  // Some found no place, and a few have one by chance.
  expect(Math.max(...counts)).toBeLessThan(25);
});
