import { asEntityId, asRelationId } from '@fuzzqe/core';
import { entity, project } from '@fuzzqe/core/query';
import { describe, expect, it } from 'vitest';
import { openBundle } from '../bundle.ts';
import { anchorRows } from '../embedding/anchor-rows.ts';
import { evenVectors } from '../embedding/new-entities.ts';
import { changeable, createEngine, createLocalRanker, type Ranker } from '../index.ts';
import { createSessionCache } from '../sessions/session-cache.ts';
import { memoryBundle, referenceSessions } from '../testing/index.ts';
import { grownLinkScores } from './grown-link-scores.ts';
import { createLinkScores } from './link-scores.ts';

const entities = 40;
const heads = Int32Array.of(7, 3, entities, entities + 1, 7);
const relations = Int32Array.of(0, 3, 0, 5, 6);

/** Scores with two new entities, the first a twin of entity 7, and one new relation with its inverse. */
async function grownScores(relationForm: 'blocks' | 'bases') {
  const { config, parameters, source } = await memoryBundle({ relationForm });
  const { profile } = await openBundle(source);
  const sessions = createSessionCache(referenceSessions(config, parameters), source);
  const scores = createLinkScores({
    model: config,
    run: async (feeds) => (await sessions.get(profile.links)).run(feeds),
  });
  const context = { profile, sessions, model: config, batchSize: 64, projectedAtOnce: 32 };
  const { dimension, entityNormalisation } = config;
  const vectors = evenVectors(2, dimension, entityNormalisation);
  vectors.set((await anchorRows(context, Int32Array.of(7)))[0]!);
  const more = { first: entities, dimension, vectors };
  const grown = grownLinkScores(
    { scores, model: config, context: { ...context, more } },
    { entityCount: entities + 2, relationCount: 8 },
  );
  const rows = await grown(heads, relations);
  const row = (place: number): Float32Array =>
    rows.subarray(place * (entities + 2), (place + 1) * (entities + 2));
  return { row, scores };
}

const expectNear = (found: ArrayLike<number>, expected: ArrayLike<number>): void => {
  expect(found.length).toBe(expected.length);
  for (let i = 0; i < expected.length; i += 1) expect(found[i]).toBeCloseTo(expected[i]!, 5);
};

describe.each(['blocks', 'bases'] as const)('links of a graph that has grown, %s', (form) => {
  it('have the scores of the model among its own entities, bit by bit', async () => {
    const { row, scores } = await grownScores(form);
    const known = await scores(heads.subarray(0, 2), relations.subarray(0, 2));
    expect(row(0).subarray(0, entities)).toEqual(known.subarray(0, entities));
    expect(row(1).subarray(0, entities)).toEqual(known.subarray(entities));
  });

  it('score a new entity with the vector of a known entity as that entity, as head and as tail', async () => {
    const { row } = await grownScores(form);
    expectNear(row(2), row(0));
    for (const place of [0, 1, 2, 3]) expect(row(place)[entities]).toBeCloseTo(row(place)[7]!, 5);
    // Another vector has other scores.
    expect(Math.abs(row(1)[entities + 1]! - row(1)[7]!)).toBeGreaterThan(1e-4);
  });

  it('have scores of 0 along a new relation', async () => {
    const { row } = await grownScores(form);
    expect([...row(4)]).toEqual(new Array(entities + 2).fill(0));
    expect(row(0).some((score) => score !== 0)).toBe(true);
  });
});

describe('an engine that has grown', () => {
  /** An engine whose new entity gets the vector of entity 7. */
  async function open() {
    const { source, config, parameters } = await memoryBundle({ relationForm: 'blocks', rules: [] });
    const bundle = changeable(await openBundle(source));
    const sessions = referenceSessions(config, parameters);
    const local = createLocalRanker(bundle, { sessions });
    const cache = createSessionCache(sessions, source);
    const [twin] = await anchorRows({ profile: bundle.profile, sessions: cache }, Int32Array.of(7));
    const ranker: Ranker = {
      ...local,
      ready: true,
      rank: async (batch, limits) => {
        const results = await local.rank(batch, limits);
        for (const result of results) if ('vectors' in result) (result.vectors as Float32Array).set(twin!);
        return results;
      },
    };
    return createEngine(bundle, ranker);
  }
  const links = [
    [0, 0],
    [7, 2],
    [11, 5],
  ] as const;

  it('gives old entities the degrees that they had, up to the share of the new entity', async () => {
    const engine = await open();
    const ask = async () =>
      (
        await engine.degrees(
          links.map(([head, relation]) => project(asRelationId(relation), entity(asEntityId(head)))),
        )
      ).map((row) => row.subarray(0, entities));
    const before = await ask();
    await engine.changeNames({ entities: [{ key: 'late', label: 'Late' }] });
    await engine.folded();
    const after = await ask();
    const apart = (a: Float32Array, b: Float32Array): number =>
      Math.max(...Array.from(a, (each, id) => Math.abs(each - b[id]!)));
    for (const [i, row] of before.entries()) expect(apart(after[i]!, row)).toBeLessThan(2e-3);
    expect(apart(after[0]!, before[1]!)).toBeGreaterThan(1e-2);
    expect(engine.facts.entityCount).toBe(entities + 1);
    await engine.close();
  });

  it('ranks by the embedding a new entity with the vector of a known entity as that entity', async () => {
    const engine = await open();
    await engine.changeNames({ entities: [{ key: 'late', label: 'Late' }] });
    const scoresOf = async (head: number): Promise<Map<number, number>> => {
      const query = project(asRelationId(1), entity(asEntityId(head)));
      const [found] = await engine.rank([query], { k: entities + 1 });
      return new Map([...found!.ids].map((id, i) => [id, found!.scores[i]!]));
    };
    const even = await scoresOf(3);
    expect(Math.abs(even.get(entities)! - even.get(7)!)).toBeGreaterThan(1e-6);
    await engine.changeFacts({ added: Int32Array.of(entities, 0, 3) });
    await engine.folded();
    const scores = await scoresOf(3);
    expect(scores.get(entities)).toBeCloseTo(scores.get(7)!, 6);
    const [ofTwin, ofKnown] = [await scoresOf(entities), await scoresOf(7)];
    for (const [id, score] of ofKnown) expect(ofTwin.get(id)).toBeCloseTo(score, 6);
    await engine.close();
  });
});
