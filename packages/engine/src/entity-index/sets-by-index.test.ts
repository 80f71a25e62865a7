import { asEntityId, asRelationId, createRandom } from '@fuzzqe/core';
import { logics } from '@fuzzqe/core/logic';
import { and, entity, instantiate, not, or, project, type Query, structures } from '@fuzzqe/core/query';
import { describe, expect, it } from 'vitest';
import { runAmongCandidates } from '../candidates/run-among-candidates.ts';
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
import { memoryBundle, referenceSessions } from '../testing/index.ts';
import type { MemoryBundleOptions } from '../testing/memory-bundle.ts';
import { checkBounded } from './bounded-query.ts';

/** The same bundle answered by all entities, and among candidates. */
async function bothWays(options: MemoryBundleOptions, change = (index: EntityIndex) => index) {
  const memory = await memoryBundle(options);
  const sessions = referenceSessions(memory.config, memory.parameters);
  const bundle = changeable(await openBundle(memory.source));
  const { entityCount, relationCount } = bundle.facts;
  let searches = 0;
  const exact = createBundleIndex(bundle, { sessions });
  const counted: EntityIndex = {
    ...exact,
    state: 'ready',
    search(asked, limits) {
      searches += asked.length;
      return exact.search(asked, limits);
    },
  };
  const own = createLocalRanker({ ...bundle, run: runAmongCandidates(bundle) }, { sessions });
  return {
    bundle,
    facts: bundle.facts,
    dense: createLocalRanker(bundle, { sessions }),
    indexed: createIndexedRanker(own, change(counted), { entityCount, relationCount }),
    searches: () => searches,
  };
}

/** Some queries of every structure. */
function drawnQueries(entityCount: number, relationCount: number, each: number): Query[] {
  const random = createRandom('sets by an index');
  return Object.values(structures).flatMap(({ template, anchors, relations }) =>
    Array.from({ length: each }, () =>
      instantiate(
        template,
        Array.from({ length: anchors }, () => asEntityId(random.below(entityCount))),
        Array.from({ length: relations }, () => asRelationId(random.below(relationCount))),
      ),
    ),
  );
}

const ask = (ranker: Ranker, queries: readonly Query[], k: number) =>
  ranker.rank(queries.map((query) => ({ task: 'sets' as const, query, k })));

/** The degrees of all entities, and 0 of the others. */
async function wholeSets(ranker: Ranker, queries: readonly Query[], size: number): Promise<Float32Array[]> {
  return (await ask(ranker, queries, size)).map(({ ids, degrees }) => {
    const set = new Float32Array(size);
    ids.forEach((id, i) => {
      set[id] = degrees[i]!;
    });
    return set;
  });
}

const farthest = (one: readonly Float32Array[], other: readonly Float32Array[]): number =>
  Math.max(...one.map((set, i) => Math.max(...set.map((degree, id) => Math.abs(degree - other[i]![id]!)))));

const small = { entities: 90, facts: 250 } as const;

describe('fuzzy sets among candidates', () => {
  it.each(['bases', 'blocks'] as const)(
    'have the degrees of all entities in all structures if all entities are candidates, with %s',
    async (relationForm) => {
      const { dense, indexed, facts, searches } = await bothWays({ ...small, relationForm });
      const queries = drawnQueries(facts.entityCount, facts.relationCount, 4);
      const found = await ask(indexed, queries, 90);
      const expected = await ask(dense, queries, 90);
      expect(
        farthest(await wholeSets(indexed, queries, 90), await wholeSets(dense, queries, 90)),
      ).toBeLessThan(2e-5);
      expect(searches()).toBeGreaterThan(14);
      for (const [i, { ids, known, operands }] of found.entries()) {
        const of = expected[i]!;
        const knownOf = (result: typeof of) => result.ids.filter((_, at) => result.known[at] === 1);
        expect(knownOf({ ...of, ids, known })).toEqual(knownOf(of));
        expect(operands.length).toBe(of.operands.length);
      }
    },
  );

  it('differ from those of another model', async () => {
    const { indexed, facts } = await bothWays(small);
    const { dense } = await bothWays({ ...small, relationForm: 'blocks' });
    const queries = drawnQueries(facts.entityCount, facts.relationCount, 1);
    const found = await wholeSets(indexed, queries, 90);
    expect(farthest(found, await wholeSets(dense, queries, 90))).toBeGreaterThan(1e-3);
  });

  it('are explained as sets of all entities are', async () => {
    const { dense, indexed, facts } = await bothWays(small);
    const queries = drawnQueries(facts.entityCount, facts.relationCount, 1);
    for (const query of queries) {
      const [{ ids } = { ids: new Int32Array() }] = await ask(dense, [query], 3);
      const request = { task: 'explain' as const, query, answers: ids, members: 3 };
      const [found] = await indexed.rank([request]);
      const [expected] = await dense.rank([request]);
      expect(rounded(found)).toEqual(rounded(expected));
    }
  });

  it.each(Object.keys(logics))('obey the laws of %s where few entities are candidates', async (logic) => {
    // A key of the logics.
    const of = { entities: 700, facts: 1500, logic: logic as keyof typeof logics };
    const { indexed } = await bothWays(of);
    const [a, b] = [link(3, 0), link(11, 2)];
    const size = 700;
    const degrees = async (query: Query): Promise<Float32Array> =>
      (await wholeSets(indexed, [query], size))[0]!;
    const same = async (one: Query, other: Query): Promise<void> =>
      expect(farthest([await degrees(one)], [await degrees(other)])).toBeLessThan(1e-6);
    await same(and(a, b), and(b, a));
    await same(or(a, b), or(b, a));
    await same(not(or(not(a), not(b))), and(a, b));
    await same(and(a, not(not(b))), and(a, b));
    const [whole, part] = [await degrees(a), await degrees(and(a, b))];
    expect(whole.some((degree) => degree > 0.5)).toBe(true);
    part.forEach((degree, id) => {
      if (whole[id]! > 0) expect(degree).toBeLessThanOrEqual(whole[id]! + 1e-6);
    });
  });

  it('find most of the best answers where few entities are candidates', async () => {
    const { dense, indexed, facts } = await bothWays({ entities: 1500, facts: 4000 });
    const queries = drawnQueries(facts.entityCount, facts.relationCount, 2);
    const [found, expected] = [await ask(indexed, queries, 10), await ask(dense, queries, 10)];
    const shares = expected.map(({ ids }, i) => {
      const there = new Set(found[i]!.ids);
      return ids.filter((id) => there.has(id)).length / ids.length;
    });
    const recall = shares.reduce((a, b) => a + b, 0) / shares.length;
    expect(recall).toBeGreaterThan(0.97);
  });

  it('follow facts that change: rejected, unsure and new ones, new entities and relations', async () => {
    const { bundle, dense, indexed, searches } = await bothWays(small);
    const engines = [dense, indexed].map((ranker) => createEngine(bundle, ranker));
    const [first] = engines;
    const { entityCount, relationCount } = bundle.facts;
    const [removedHead, removedRelation, removedTail] = bundle.facts.forwardTriples();
    for (const engine of engines) {
      await engine.changeNames({
        entities: [{ key: 'new', label: 'new' }],
        relations: [{ key: 'knows', label: 'knows' }],
      });
      await engine.changeFacts({
        added: Int32Array.of(entityCount, 0, 3, 5, 2, entityCount, 7, 0, 8, 1, relationCount, 2),
        confidences: [1, 1, 0.6, 1],
        removed: Int32Array.of(removedHead!, removedRelation!, removedTail!),
        rejected: Int32Array.of(7, 0, 9),
      });
      await engine.folded();
    }
    const before = searches();
    const heads = [5, 7, entityCount, removedHead!];
    const queries = [
      ...heads.flatMap((head) => [0, 2, removedRelation!].map((relation) => link(head, relation))),
      project(asRelationId(0), or(link(7, 0), link(5, 2))),
      and(link(7, 0), not(link(entityCount, 0))),
      link(1, relationCount),
    ];
    const [expected, found] = await Promise.all(
      engines.map((engine) => engine.answerAll(queries, { k: 20 })),
    );
    expect(searches()).toBeGreaterThan(before);
    expect(rounded(found)).toEqual(rounded(expected));
    expect(first!.facts.entityCount).toBe(entityCount + 1);
  });

  it('are those of all entities while the index is away', async () => {
    const { dense, indexed, facts, searches } = await bothWays(small, (index) => ({
      ...index,
      state: 'away',
    }));
    const queries = drawnQueries(facts.entityCount, facts.relationCount, 1);
    expect(await ask(indexed, queries, 5)).toEqual(await ask(dense, queries, 5));
    expect(searches()).toBe(0);
  });
});

const link = (head: number, relation: number) => project(asRelationId(relation), entity(asEntityId(head)));

const rounded = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, each: unknown) =>
      ArrayBuffer.isView(each)
        ? Array.from(each as Float32Array)
        : typeof each === 'number'
          ? Number(each.toFixed(4))
          : each,
    ),
  );

describe('a query that an index can answer', () => {
  const [a, b] = [link(0, 0), link(1, 2)];
  it.each([
    ['a projection', a],
    ['a conjunction with a negation', and(a, not(b))],
    ['a negated disjunction with a negation', not(or(not(a), b))],
    ['a projection of a conjunction', project(asRelationId(0), and(a, not(b)))],
  ])('is %s', (_, query) => {
    expect(() => checkBounded(query)).not.toThrow();
  });

  it.each([
    ['a negation', not(a)],
    ['a disjunction with a negation', or(a, not(b))],
    ['a projection of a negation', and(a, project(asRelationId(0), not(b)))],
    ['a conjunction of negations', and(not(a), not(b))],
  ])('is not %s', (_, query) => {
    expect(() => checkBounded(query)).toThrow(/whose answers an index can find/);
  });
});
