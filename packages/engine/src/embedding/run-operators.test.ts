import { asEntityId, asRelationId, createRandom } from '@fuzzqe/core';
import { entity, not, project, type Query } from '@fuzzqe/core/query';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Engine, openEngine, type SessionFactory } from '../index.ts';
import { type MemoryBundle, memoryBundle } from '../testing/index.ts';
import { type NotedRun, notingSessions } from '../testing/noting-sessions.ts';
import { randomQuery } from '../testing/random-query.ts';
import { rowsOfProjection } from './run-operators.ts';

describe('operators for many queries at once', () => {
  const batchSize = 12;
  let bundle: MemoryBundle;
  let queries: Query[];
  beforeAll(async () => {
    bundle = await memoryBundle();
    const random = createRandom('operators');
    queries = Array.from({ length: 200 }, (_, i) => randomQuery(random, i % 5));
  });
  const open = (sessions: SessionFactory): Promise<Engine> =>
    openEngine({ source: bundle.source, sessions, batchSize, plan: 'operators' });

  it('answer each as they answer it alone, whatever shapes are together', async () => {
    const engine = await open(notingSessions(bundle));
    const together = await engine.rank(queries);
    for (const [i, query] of queries.entries()) expect(together[i]).toEqual((await engine.rank([query]))[0]);
  });

  it('show it where a row gets the relation of its neighbour', async () => {
    const shifted = notingSessions(bundle, {
      feeds({ graph, feeds }) {
        if (graph !== 'project') return feeds;
        const { dims, data } = feeds['relations']!;
        return {
          ...feeds,
          relations: { dims, data: Int32Array.from(data, (_, i) => data[(i + 1) % data.length]!) },
        };
      },
    });
    const engine = await open(shifted);
    const together = await engine.rank(queries);
    const alone = await Promise.all(queries.map(async (query) => (await engine.rank([query]))[0]));
    expect(together).not.toEqual(alone);
  });

  it('run a few projections at a time, sorted by relation, and no graph with more rows than it may have', async () => {
    const sessions = notingSessions(bundle);
    await (await open(sessions)).rank(queries);
    const most = (graph: string): number =>
      Math.max(...sessions.runs.filter((run) => run.graph === graph).map(({ rows }) => rows));
    // Eight matrices of 800 × 800 in whole numbers, more of smaller ones, never more than the batch.
    const model = { relations: 474, relationForm: 'bases' } as const;
    expect(rowsOfProjection({ bytes: 474 * 800 * 800 }, model)).toBe(8);
    expect(rowsOfProjection({ bytes: 474 * 128 * 128 }, model)).toBe(32);
    expect(rowsOfProjection({ bytes: 474 * 800 * 800 }, { ...model, relationForm: 'blocks' })).toBe(32);
    expect(most('project')).toBe(batchSize);
    expect(most('rank')).toBe(batchSize);
    for (const graph of ['anchor', 'conjunction', 'disjunction', 'negation'])
      expect(most(graph)).toBeLessThanOrEqual(64);
    const relationsOf = ({ feeds }: NotedRun): number[] => Array.from(feeds['relations']!.data);
    const projections = sessions.runs.filter(({ graph }) => graph === 'project').map(relationsOf);
    for (const relations of projections) expect(relations).toEqual(relations.toSorted((a, b) => a - b));
    // Of 6 relations, sorted, a run has one or two.
    const mixed = projections.filter((relations) => new Set(relations).size > 2);
    expect(mixed.length).toBeLessThan(projections.length / 2);
    const together = sessions.runs.length;
    const engine = await open(sessions);
    for (const query of queries) await engine.rank([query]);
    expect(sessions.runs.length - together).toBeGreaterThan(8 * together);
  });

  it('ask the ranking for as many as are wanted, however many entities the facts leave out', async () => {
    const sessions = notingSessions(bundle);
    const engine = await open(sessions);
    const query = not(project(asRelationId(0), entity(asEntityId(1))));
    const { answers } = await engine.answer(query, { mode: 'embedding', k: 2, exclude: 'known' });
    const [run, ...others] = sessions.runs.filter(({ graph }) => graph === 'rank');
    expect([[...run!.feeds['k']!.data], others]).toEqual([[2], []]);
    // Nearly all entities answer a negation by the facts alone; what is left is what the facts give to its operand.
    const left = [...engine.facts.tails(1, 0)];
    expect(left.length).toBeGreaterThan(0);
    expect(left).toEqual(expect.arrayContaining(answers.map(({ id }) => id)));
    expect(answers).toHaveLength(Math.min(2, left.length));
  });

  it('split a batch before its vectors take too much memory', async () => {
    const sessions = notingSessions(bundle);
    const long = Array.from({ length: 60 }, (_, i) =>
      Array.from({ length: 40 }, () => 0).reduce<Query>(
        (from) => project(asRelationId(0), from),
        entity(asEntityId(i % 40)),
      ),
    );
    await (await open(sessions)).rank(long);
    const anchors = sessions.runs.filter(({ graph }) => graph === 'anchor').map(({ rows }) => rows);
    // 64 · 12 operators, 42 of them in a query.
    expect(anchors).toEqual([18, 18, 18, 6]);
  });
});
