import { asEntityId, asRelationId, createKnowledgeGraph, FuzzError } from '@fuzzqe/core';
import {
  and,
  entity,
  instantiate,
  not,
  or,
  project,
  type Query,
  structureNames,
  structures,
} from '@fuzzqe/core/query';
import { describe, expect, it } from 'vitest';
import { checkCost, checkSearchCost, costSizeOf, estimateCost, estimateSearchCost } from './estimate-cost.ts';

const edgesOf = (_: number, head?: number): number => (head === undefined ? 1_000 : 10);
const size = { entities: 14_505, dimension: 128, members: 64, edgesOf };
const link = project(asRelationId(0), entity(asEntityId(0)));
const hop = (from: Query): Query => project(asRelationId(1), from);
const chain = (length: number): Query => (length === 0 ? link : hop(chain(length - 1)));

const model = { entities: 40, dimension: 8, relationForm: 'bases', projectionInput: 'l2' } as const;
const calibration = { certainMembers: 100_000, predictedMembers: 16 };
const facts = createKnowledgeGraph({
  entityCount: 40,
  relationCount: 4,
  triples: Int32Array.of(1, 0, 2, 1, 0, 3, 5, 0, 2, 5, 2, 6),
});

describe('estimateCost', () => {
  it('grows with the query, with k, and with every size of the model', () => {
    const growing: readonly (readonly Query[])[] = [
      [link, not(link), and(link, not(link)), and(link, link, not(link)), and(link, link, not(link), link)],
      [chain(0), chain(1), chain(2), chain(20)],
      [chain(1), or(link, chain(1)), or(chain(1), chain(1))],
    ];
    for (const mode of ['sets', 'embedding'] as const)
      for (const queries of growing) {
        const costs = queries.map((query) => estimateCost(query, { mode }, size));
        expect(costs).toEqual([...new Set(costs)].sort((a, b) => a - b));
        for (const query of queries) {
          const cost = estimateCost(query, { mode }, size);
          expect(estimateCost(query, { mode, k: 1000 }, size)).toBeGreaterThan(cost);
          expect(estimateCost(query, { mode }, { ...size, entities: 60_000 })).toBeGreaterThan(cost);
          expect(estimateCost(query, { mode }, { ...size, dimension: 400 })).toBeGreaterThan(cost);
        }
      }
    expect(estimateCost(chain(1), {}, { ...size, members: 128 })).toBeGreaterThan(
      1.7 * estimateCost(chain(1), {}, size),
    );
  });

  it('is within a factor of two of what was measured on a quiet machine', () => {
    // Medians in milliseconds of lab/2026-11-28-results-serving.md, what is known excluded: FB15k-237, d 128, 64 members, before bounds.
    const measured = {
      '1p': 0.87,
      '2p': 5.24,
      '3p': 11.27,
      '2i': 1.16,
      pi: 5.67,
      ip: 5.02,
      up: 6.67,
      inp: 7.37,
      pni: 6.1,
    };
    for (const name of structureNames) {
      const { template, anchors, relations } = structures[name];
      const query = instantiate(template, new Array(anchors).fill(0), new Array(relations).fill(0));
      const bySets = estimateCost(query, {}, size);
      const time = new Map(Object.entries(measured)).get(name);
      if (time !== undefined) expect([name, bySets / time > 0.5 && bySets / time < 2]).toEqual([name, true]);
      const byEmbedding = estimateCost(query, { mode: 'embedding' }, size);
      expect([name, byEmbedding > 0.77 / 2 && byEmbedding < 0.77 * 2]).toEqual([name, true]);
    }
  });

  it('counts the heads that each centroid is of', () => {
    const withCentroids = { ...size, heads: 256 };
    const added = (query: Query): number =>
      estimateCost(query, { mode: 'embedding' }, withCentroids) -
      estimateCost(query, { mode: 'embedding' }, size);
    expect(added(and(link, link))).toBe(0);
    expect(added(chain(1))).toBeCloseTo((1.5 * 256 * size.dimension) / 1e6, 9);
    expect(added(chain(3))).toBeCloseTo(3 * added(chain(1)), 9);
    expect(estimateCost(chain(3), {}, withCentroids)).toBe(estimateCost(chain(3), {}, size));
    expect(costSizeOf({ ...model, projectionInput: 'domain' }, calibration, facts).heads).toBe(40);
    expect(costSizeOf(model, calibration, facts).heads).toBe(0);
  });

  it('has what an explanation and a filter by degrees add', () => {
    const query = chain(2);
    const plain = estimateCost(query, {}, size);
    expect(estimateCost(query, { explain: true }, size) / plain).toBeGreaterThan(2);
    expect(estimateCost(query, { explain: true }, size) / plain).toBeLessThan(4);
    expect(estimateCost(query, { filter: { query, minDegree: 0.5 } }, size)).toBeCloseTo(2 * plain, 1);
    const recorded = estimateCost(query, { filter: { query } }, size);
    expect(recorded).toBeGreaterThan(plain);
    expect(recorded).toBeLessThan(1.1 * plain);
    expect(estimateCost(query, { filter: { ids: [1] } }, size)).toBe(plain);
  });

  it('has what counting the relations that lead on may take, by the entity of most kinds', () => {
    const { kinds } = costSizeOf(model, calibration, facts);
    // Entity 5 has facts of relations 0 and 2, and 2 of none but the inverse of 0.
    expect(kinds).toBe(2);
    const added = (k: number, kinds: number): number =>
      estimateCost(link, { k, next: true }, { ...size, kinds }) -
      estimateCost(link, { k }, { ...size, kinds });
    expect(added(1000, 100) / added(100, 100)).toBeCloseTo(10, 6);
    expect(added(1000, 200) / added(1000, 100)).toBeCloseTo(2, 6);
    expect(added(10 ** 9, 100)).toBeCloseTo(added(size.entities, 100), 6);
  });

  it('counts what a projection reads of its relation: a matrix, or a row of blocks', () => {
    const blocks = { ...model, relationForm: 'blocks' } as const;
    expect(costSizeOf(model, calibration, facts).ofRelation).toBe(64);
    expect(costSizeOf(blocks, calibration, facts).ofRelation).toBe(8);
    const wide = { ...size, dimension: 800 };
    // Of one link by its embedding, reading the matrix is the most.
    const [asMatrix, asBlocks] = [800 ** 2, 800].map((ofRelation) =>
      estimateCost(link, { mode: 'embedding', k: 1 }, { ...wide, ranked: 100, ofRelation }),
    );
    expect(asMatrix! - asBlocks!).toBeCloseTo((0.4 * (800 ** 2 - 800)) / 1e6, 9);
    expect(estimateCost(link, { mode: 'embedding', k: 1 }, { ...wide, ranked: 100 })).toBe(asMatrix);
  });

  it('counts no more members than there are entities', () => {
    expect(costSizeOf(model, calibration, facts)).toMatchObject({
      entities: 40,
      dimension: 8,
      members: 40,
    });
  });

  it('counts the recorded edges of a relation, those of an anchor alone', () => {
    const { edgesOf } = costSizeOf(model, calibration, facts);
    // What was counted once is kept.
    for (let time = 0; time < 2; time += 1)
      expect([0, 1, 2, 3, 4, -1].map((relation) => edgesOf(relation))).toEqual([3, 3, 1, 1, 0, 0]);
    expect([edgesOf(0, 1), edgesOf(0, 5), edgesOf(1, 2), edgesOf(0, 9)]).toEqual([2, 1, 2, 0]);
  });

  it('has what the facts of a query and of a filter by recorded answers take', () => {
    // Each part goes along nearly every edge of a relation.
    const operands = Array.from({ length: 340 }, (_, i) => hop(not(entity(asEntityId(i)))));
    const wide: Query = { op: 'or', operands };
    const dense = { ...size, edgesOf: () => 400_000 };
    for (const mode of ['sets', 'embedding'] as const) {
      const plain = estimateCost(link, { mode }, dense);
      const filtered = estimateCost(link, { mode, filter: { query: wide } }, dense);
      expect(filtered).toBeGreaterThan(plain + 250);
      expect(() => checkCost(link, filtered, 250)).toThrow(FuzzError);
      expect(estimateCost(wide, { mode }, dense)).toBeGreaterThan(estimateCost(wide, { mode }, size) + 250);
      // A conjunction also says which of its operands the facts give.
      const added = (query: Query): number =>
        estimateCost(query, { mode }, dense) - estimateCost(query, { mode }, size);
      expect(added(and(chain(1), chain(1))) / added(or(chain(1), chain(1)))).toBeCloseTo(2, 6);
    }
  });
});

describe('the cost of a search', () => {
  it('grows with the names, is less without misspelt ones, and is refused with both figures', () => {
    expect(estimateSearchCost(2000) / estimateSearchCost(1000)).toBeCloseTo(2, 6);
    expect(estimateSearchCost(1000, false)).toBeLessThan(estimateSearchCost(1000));
    expect(() => checkSearchCost(1000, 0.3, 0.3)).not.toThrow();
    expect(() => checkSearchCost(1000, 0.4, 0.3)).toThrow(
      expect.objectContaining({
        code: 'cost',
        path: 'q',
        message: 'search: expected a cost of at most 0.3 ms, got 0.4 ms among the names of 1000',
      }),
    );
  });
});

describe('checkCost', () => {
  it('lets pass what costs as much as it may, and refuses more with both figures and what to do', () => {
    expect(() => checkCost(link, 20, 20)).not.toThrow();
    let error: unknown;
    try {
      checkCost(chain(3), 20.04, 20, '$.queries[3]');
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(FuzzError);
    expect(error).toMatchObject({
      code: 'cost',
      path: '$.queries[3]',
      hint: expect.stringContaining('fewer nested projections'),
    });
    expect(String(error)).toContain(
      'at most 20 ms, got 20.04 ms with 5 nodes, 3 of them projections of sets',
    );
  });
});
