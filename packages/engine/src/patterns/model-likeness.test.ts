import { asEntityId } from '@fuzzqe/core';
import { entity, type Pattern, parsePatternText } from '@fuzzqe/core/query';
import { similarEntities } from '@fuzzqe/evidence';
import { expect, it, vi } from 'vitest';
import {
  changeable,
  createEngine,
  createLocalRanker,
  type Engine,
  openBundle,
  openEngine,
} from '../index.ts';
import { memoryBundle, referenceSessions } from '../testing/index.ts';
import { createMatching } from './create-matching.ts';
import { createLikeness } from './model-likeness.ts';

async function open(likeness?: number): Promise<Engine> {
  const { source, config, parameters } = await memoryBundle(likeness === undefined ? {} : { likeness });
  return openEngine({ source, sessions: referenceSessions(config, parameters) });
}
const patternOf = ({ vocabulary }: Engine): Pattern => parsePatternText('?x : like(?x, e1)', vocabulary);

it('counts in like by the share of the bundle, and is a reason', async () => {
  const [engine, plain] = [await open(0.6), await open()];
  const { rows } = await engine.match(patternOf(engine), { k: 40, minDegree: 0, explain: true });
  const embeddings = await engine.ranker.rank(
    Array.from({ length: 40 }, (_, id) => ({ task: 'embed' as const, query: entity(asEntityId(id)) })),
  );
  const mean = embeddings[0]!.embedding.map(
    (_, i) => embeddings.reduce((sum, { embedding }) => sum + embedding[i]!, 0) / 40,
  );
  const moved = embeddings.map(({ embedding }) => embedding.map((value, i) => value - mean[i]!));
  const dot = (a: Float32Array, b: Float32Array): number =>
    a.reduce((sum, value, i) => sum + value * b[i]!, 0);
  const cosine = (a: number, b: number): number =>
    dot(moved[a]!, moved[b]!) / Math.sqrt(dot(moved[a]!, moved[a]!) * dot(moved[b]!, moved[b]!));
  const byFacts = similarEntities(engine.facts, 1);
  expect(rows.length).toBeGreaterThan(byFacts.ids.length / 2);
  let modelled = 0;
  for (const { entities, degree, sets } of rows) {
    const id = entities[0]!.id;
    const model = 0.6 * Math.max(0, cosine(1, id));
    const facts = 0.4 * (byFacts.degrees[byFacts.ids.indexOf(id)] ?? 0);
    expect(degree).toBeCloseTo(model + facts, 4);
    if (model < 0.001) continue;
    modelled += 1;
    expect(sets).toMatchObject([{ like: { id: 1 }, byModel: expect.closeTo(model, 4) }]);
  }
  expect(modelled).toBeGreaterThan(5);
  // Negative control: a bundle without the share compares facts alone.
  const alone = await plain.match(patternOf(plain), { k: 40, minDegree: 0, explain: true });
  expect(alone.rows.map(({ entities }) => entities[0]!.id).sort((a, b) => a - b)).toEqual([...byFacts.ids]);
  for (const { sets } of alone.rows) expect(sets![0]).not.toHaveProperty('byModel');
});

it('is compared once for each entity of a pattern, with reasons and without', async () => {
  const { source, config, parameters } = await memoryBundle();
  const engine = await openEngine({ source, sessions: referenceSessions(config, parameters) });
  const cosines = new Float32Array(40).fill(0.5);
  const likenessOf = vi.fn(async () => ({ share: 0.5, cosines }));
  const { vocabulary, facts, ranker } = engine;
  const state = { vocabulary, facts, ranker, likenessOf, warningsOf: () => [] };
  // What patterns ask of a state beside these is not asked here.
  const match = createMatching(state as unknown as Parameters<typeof createMatching>[0]);
  const two = parsePatternText('?x : like(?x, e1), like(?x, e2), like(?x, e1)', vocabulary);
  const { rows } = await match(two, { k: 5, minDegree: 0, explain: true });
  expect(rows[0]!.sets!.length).toBeGreaterThan(1);
  expect(likenessOf.mock.calls).toEqual([[1], [2]]);
});

it('is kept when facts change', async () => {
  const { source, config, parameters } = await memoryBundle({ likeness: 0.6 });
  const bundle = changeable(await openBundle(source));
  const ranker = createLocalRanker(bundle, { sessions: referenceSessions(config, parameters) });
  const rank = vi.spyOn(ranker, 'rank');
  const engine = createEngine(bundle, ranker);
  const embedded = (): number =>
    rank.mock.calls.flatMap(([requests]) => requests).filter(({ task }) => task === 'embed').length;
  const before = await engine.match(patternOf(engine), { k: 40, minDegree: 0 });
  expect(embedded()).toBe(40);
  expect(await engine.changeFacts({ added: Int32Array.of(1, 0, 39) })).toMatchObject({ epoch: 1, added: 1 });
  const after = await engine.match(patternOf(engine), { k: 40, minDegree: 0 });
  expect(embedded()).toBe(40);
  // The facts of now count.
  expect(after.rows).not.toEqual(before.rows);
});

it('is computed once, again after a failure, and for entities and models of some size alone', async () => {
  const { ranker } = await open();
  let calls = 0;
  const counted: Parameters<typeof createLikeness>[0] = {
    rank: (requests, limits) => {
      calls += 1;
      return calls === 1 ? Promise.reject(new Error('a fault')) : ranker.rank(requests, limits);
    },
  };
  const likenessOf = createLikeness(counted, { entities: 40, share: 0.5 });
  await expect(likenessOf(1)).rejects.toThrow('a fault');
  const [first, second] = [await likenessOf(1), await likenessOf(2)];
  expect(calls).toBe(2);
  expect(first!.cosines[1]).toBeCloseTo(1, 5);
  expect(first!.cosines[2]).toBeCloseTo(second!.cosines[1]!, 6);
  expect(await likenessOf(40)).toBeUndefined();
  expect(await createLikeness(counted, { entities: 40, share: 0 })(1)).toBeUndefined();
  expect(await createLikeness(counted, { entities: 100_000, share: 0.5 })(1)).toBeUndefined();
  expect(calls).toBe(2);
});
