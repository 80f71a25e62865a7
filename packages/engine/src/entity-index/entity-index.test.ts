import { asEntityId, asRelationId, FuzzError } from '@fuzzqe/core';
import { entity, project } from '@fuzzqe/core/query';
import { describe, expect, it } from 'vitest';
import {
  changeable,
  createBundleIndex,
  createEngine,
  createIndexedRanker,
  createLocalRanker,
  type EntityIndex,
  openBundle,
  type Ranker,
} from '../index.ts';
import { rankerGrowth } from '../ranker/ranker-growth.ts';
import {
  describeEntityIndex,
  describeRanker,
  entityIndexCases,
  memoryBundle,
  rankerCases,
  rankerContext,
  referenceSessions,
} from '../testing/index.ts';

async function makeBundle() {
  const memory = await memoryBundle();
  const sessions = referenceSessions(memory.config, memory.parameters);
  const bundle = await openBundle(memory.source);
  const ranker = createLocalRanker(bundle, { sessions });
  const ids = Array.from({ length: memory.config.entities }, (_, id) => asEntityId(id));
  const rows = await ranker.rank(ids.map((id) => ({ task: 'embed' as const, query: entity(id) })));
  await ranker.close();
  return { memory, sessions, bundle, rows: rows.map(({ embedding }) => embedding) };
}

let made: ReturnType<typeof makeBundle> | undefined;
/** A new index and a new ranker of a bundle that is made once. */
async function setUp(change: (index: EntityIndex) => EntityIndex = (index) => index) {
  made ??= makeBundle();
  const { memory, sessions, bundle, rows } = await made;
  const index = change(createBundleIndex(bundle, { sessions }));
  const ranker = createLocalRanker({ ...bundle, growth: rankerGrowth }, { sessions });
  return { source: memory.source, index, ranker, entityCount: memory.config.entities, rows };
}

/** The same index, with something in another way; its state stays that of the index. */
const altered = (index: EntityIndex, change: Partial<EntityIndex>): EntityIndex =>
  Object.defineProperties(Object.create(index), Object.getOwnPropertyDescriptors(change)) as EntityIndex;

/** An index that does one thing wrong. */
const faulty: Record<string, (index: EntityIndex) => EntityIndex> = {
  'another order': (index) =>
    altered(index, {
      search: async (...asked) =>
        (await index.search(...asked)).map(({ ids, scores }) => ({
          ids: ids.toReversed(),
          scores: scores.toReversed(),
        })),
    }),
  'filters that nobody looks at': (index) =>
    altered(index, {
      search: (searches, limits) =>
        index.search(
          searches.map(({ embedding, k }) => ({ embedding, k })),
          limits,
        ),
    }),
  'filters after the search': (index) =>
    altered(index, {
      search: async (searches, limits) => {
        const found = await index.search(
          searches.map(({ embedding, k }) => ({ embedding, k })),
          limits,
        );
        return found.map(({ ids, scores }, i) => {
          const { allowed, excluded } = searches[i]!;
          const kept = [...ids.keys()].filter(
            (place) => allowed?.includes(ids[place]!) !== false && excluded?.includes(ids[place]!) !== true,
          );
          return {
            ids: Int32Array.from(kept, (place) => ids[place]!),
            scores: Float32Array.from(kept, (place) => scores[place]!),
          };
        });
      },
    }),
  'limits that nobody looks at': (index) => altered(index, { search: (searches) => index.search(searches) }),
};

const [products, allowed, excluded, , limits] = entityIndexCases.map(({ name }) => name);
/** The cases that have to find each. */
const found: Record<string, unknown> = {
  'another order': [products, allowed, excluded],
  'filters that nobody looks at': [allowed, excluded],
  'filters after the search': [allowed, excluded],
  'limits that nobody looks at': [limits],
};

describeEntityIndex({ describe, it }, 'the exact ranking of a bundle', () => setUp());

describe('the suite of entity indexes', () => {
  it.each(Object.keys(faulty))('finds %s', async (fault) => {
    const failures: string[] = [];
    for (const each of entityIndexCases) {
      const context = await setUp(faulty[fault]!);
      await each.run(context).catch(() => failures.push(each.name));
    }
    expect(failures).toEqual(found[fault]);
  });
});

describeRanker({ describe, it }, 'a ranker that asks an index', async () => {
  const { source, index, ranker, entityCount } = await setUp();
  return { source, open: async () => createIndexedRanker(ranker, index, { entityCount }) };
});

describe('a ranker that asks an index', () => {
  const query = entity(asEntityId(3));

  it('finds it where the index keeps other rows than the bundle: its suite fails', async () => {
    const { source, index, ranker, entityCount } = await setUp();
    const backwards = altered(index, {
      search: (searches, limits) =>
        index.search(
          searches.map((search) => ({ ...search, embedding: search.embedding.map((x) => -x) })),
          limits,
        ),
    });
    const open = async (): Promise<Ranker> => createIndexedRanker(ranker, backwards, { entityCount });
    const context = await rankerContext({ source, open });
    await expect(rankerCases[0]!.run(context)).rejects.toThrow();
  });

  it('scores by the bundle what an index finds with scores of its own', async () => {
    const { index, ranker, entityCount } = await setUp();
    const rough = altered(index, {
      capabilities: { ...index.capabilities, exact: false, maxTopK: 20 },
      search: async (searches, limits) =>
        (await index.search(searches, limits)).map(({ ids, scores }) => ({
          ids: ids.toReversed(),
          scores: scores.map((score) => score / 2),
        })),
    });
    const indexed = createIndexedRanker(ranker, rough, { entityCount, overFetch: 2 });
    const request = { task: 'embedding' as const, query, k: 5, exclude: 'known' as const };
    const [expected] = await ranker.rank([request]);
    const [actual] = await indexed.rank([request]);
    expect(actual!.ids).toEqual(expected!.ids);
    expect(actual!.known).toEqual(expected!.known);
    actual!.scores.forEach((score, i) => {
      expect(score).toBeCloseTo(expected!.scores[i]!, 5);
    });
  });

  it('asks the index for more than k, and for nothing where fewer may be answers', async () => {
    const asked: number[] = [];
    const { index, ranker, entityCount } = await setUp();
    const counted = altered(index, {
      capabilities: { ...index.capabilities, exact: false },
      search: (searches, limits) => {
        asked.push(...searches.map(({ k }) => k));
        return index.search(searches, limits);
      },
    });
    const indexed = createIndexedRanker(ranker, counted, { entityCount, overFetch: 3 });
    const rank = (k: number, allowed?: Int32Array) =>
      indexed.rank([{ task: 'embedding', query, k, allowed }]);
    await rank(5);
    const [few] = await rank(3, Int32Array.of(4, 7, 11, 2));
    expect(asked).toEqual([15]);
    expect(few!.ids.length).toBe(3);
  });

  it('refuses more answers than the index can give, and an index of another number of entities', async () => {
    const { index, ranker, entityCount } = await setUp();
    const small = altered(index, { capabilities: { ...index.capabilities, maxTopK: 4 } });
    const indexed = createIndexedRanker(ranker, small, { entityCount });
    await expect(indexed.rank([{ task: 'embedding', query, k: 5 }])).rejects.toMatchObject({
      code: 'range',
      path: '$.k',
    });
    expect(() => createIndexedRanker(ranker, altered(index, { rows: 3 }), { entityCount })).toThrow(
      /expected 40 rows, got 3/,
    );
  });

  it('takes nothing from an index that was not asked for', async () => {
    const { index, ranker, entityCount } = await setUp();
    for (const ids of [
      [1, 1, 2],
      [0, 1, 40],
      [0, 1],
      [-1, 1, 2],
    ]) {
      const wrong = altered(index, {
        search: async (searches) =>
          searches.map(({ k }) => ({
            ids: Int32Array.from({ length: Math.min(k, ids.length) }, (_, i) => ids[i]!),
            scores: new Float32Array(ids.length),
          })),
      });
      const indexed = createIndexedRanker(ranker, wrong, { entityCount });
      await expect(indexed.rank([{ task: 'embedding', query, k: 1 }])).rejects.toMatchObject({
        code: 'runtime',
      });
    }
  });

  it('is ready while its index is away, says so, refuses what needs it and answers the rest, and closes both', async () => {
    const { index, ranker, entityCount } = await setUp();
    const down = altered(index, {
      state: 'away',
      search: () => Promise.reject(new FuzzError('runtime', 'the entity index x cannot be reached')),
    });
    const indexed = createIndexedRanker(ranker, down, { entityCount });
    expect([indexed.ready, indexed.index?.state]).toEqual([true, 'away']);
    await expect(indexed.rank([{ task: 'embedding', query, k: 1 }])).rejects.toThrow(/cannot be reached/);
    await expect(indexed.rank([{ task: 'sets', query, k: 1 }])).resolves.toHaveLength(1);
    await indexed.close();
    expect([indexed.ready, ranker.ready, index.state]).toEqual([false, false, 'closed']);
  });
});

it('an index that knows nothing of new entities gives the ranking that the model gives', async () => {
  const { index, entityCount } = await setUp();
  const { bundle, sessions } = await made!;
  const growing = changeable(bundle);
  const engines = [
    createEngine(
      growing,
      createIndexedRanker(createLocalRanker(growing, { sessions }), index, { entityCount }),
    ),
    createEngine(changeable(bundle), createLocalRanker(growing, { sessions })),
  ];
  const [id, relation] = [entityCount, asRelationId(0)];
  const queries = [project(relation, entity(asEntityId(id))), project(relation, entity(asEntityId(5)))];
  const rankings: number[][][] = [];
  for (const engine of engines) {
    await engine.changeNames({ entities: [{ key: 'new one', label: 'New One' }] });
    await engine.changeFacts({ added: Int32Array.of(id, 0, 3, 5, 0, id, id, 2, 4) });
    await engine.folded();
    const options = { mode: 'embedding', k: entityCount } as const;
    const answers = await engine.answerAll(queries, options);
    const unknown = await engine.answerAll(queries, { ...options, exclude: 'known' });
    const chosen = await engine.answerAll(queries, { ...options, filter: { ids: [id, 3, 7] } });
    rankings.push([...answers, ...unknown, ...chosen].map((each) => each.answers.map((one) => one.id)));
  }
  expect(rankings[0]).toEqual(rankings[1]);
  // What is recorded, and so left out, is the new entity of the second query alone.
  expect(rankings[0]!.map((ids) => ids.includes(id))).toEqual([true, true, true, false, true, true]);
  await Promise.all(engines.map((engine) => engine.close()));
});
