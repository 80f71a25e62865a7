import { asEntityId, asRelationId } from '@fuzzqe/core';
import { project } from '@fuzzqe/core/query';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Engine, type EntityOptions, openEngine } from '../index.ts';
import { memoryBundle, referenceSessions } from '../testing/index.ts';

const open = async (): Promise<Engine> => {
  const { source, config, parameters } = await memoryBundle();
  return openEngine({ source, sessions: referenceSessions(config, parameters) });
};

let engine: Engine;
beforeAll(async () => {
  engine = await open();
});

const linkOf = (id: number, relation: number) =>
  project(asRelationId(relation), { op: 'entity', entity: asEntityId(id) });

describe('describeEntity', () => {
  it('gives every fact of an entity once, in both directions, and the best new ones of each relation', async () => {
    for (const id of [0, 7, 39]) {
      const { relations, facts, ...names } = await engine.describeEntity(id);
      expect(names).toEqual({ id, key: `e${id}`, label: `Entity ${id}` });
      expect(relations.total).toBe(6);
      expect(relations.results.map(({ relation }) => relation.id).sort()).toEqual([0, 1, 2, 3, 4, 5]);
      expect(relations.results.reduce((sum, { recorded }) => sum + recorded.total, 0)).toBe(facts);
      for (const { relation, recorded, predicted } of relations.results) {
        const tails = Array.from(engine.facts.tails(id, relation.id));
        expect(recorded).toMatchObject({
          total: tails.length,
          results: tails.slice(0, 10).map((tail) => ({ id: tail })),
        });
        const asked = { k: 3, exclude: 'known', minDegree: 0.01 } as const;
        const { answers } = await engine.answer(linkOf(id, relation.id), asked);
        expect(predicted).toEqual(answers.map(({ state: _, ...answer }) => answer));
      }
    }
  });

  it('puts the relations with most facts of the entity first, and gives the same by pages', async () => {
    const { relations } = await engine.describeEntity(3);
    const counts = relations.results.map(({ recorded }) => recorded.total);
    expect(counts).toEqual(counts.toSorted((a, b) => b - a));
    const pages = await Promise.all(
      [0, 2, 4].map((offset) => engine.describeEntity(3, { limit: 2, offset })),
    );
    expect(pages.flatMap((page) => page.relations.results)).toEqual(relations.results);
    expect((await engine.describeEntity(3, { offset: 6 })).relations).toEqual({ total: 6, results: [] });
  });

  it('asks for no more than is wanted, in one call, and nothing where no predictions are', async () => {
    const bare = await open();
    const calls: number[] = [];
    const { rank } = bare.ranker;
    Object.assign(bare.ranker, {
      rank: (batch: readonly unknown[], limits: object) => {
        calls.push(batch.length);
        return rank(batch as never, limits);
      },
    });
    const { relations } = await bare.describeEntity(5, { limit: 4, recorded: 1, predicted: 2 });
    expect(calls).toEqual([4]);
    for (const { recorded, predicted } of relations.results) {
      expect(recorded.results.length).toBe(Math.min(recorded.total, 1));
      expect(predicted.length).toBeLessThanOrEqual(2);
      for (const each of predicted) expect(Object.keys(each)).toEqual(['id', 'key', 'label', 'degree']);
    }
    await bare.describeEntity(5, { predicted: 0 });
    expect(calls).toEqual([4]);
  });

  it('refuses links that would take too long together, however little each takes', async () => {
    const one = engine.costOf(linkOf(5, 0), { k: 2 });
    const page = (limit: number, predicted: number) =>
      engine.describeEntity(5, { limit, predicted, costLimit: 2.5 * one });
    await expect(page(2, 2)).resolves.toHaveProperty('relations.results.length', 2);
    await expect(page(4, 2)).rejects.toMatchObject({
      code: 'cost',
      path: '$.limit',
      message: expect.stringContaining('for 4 relations'),
    });
    await expect(page(6, 0)).resolves.toHaveProperty('relations.results.length', 6);
  });

  it.each([
    ['an entity that there is not', 40, {}, '$.id'],
    ['a number that is none', 1.5, {}, '$.id'],
    ['more relations than one call gives', 1, { limit: 65 }, '$.limit'],
    ['no relations', 1, { limit: 0 }, '$.limit'],
    ['an offset below 0', 1, { offset: -1 }, '$.offset'],
    ['too many predictions', 1, { predicted: 101 }, '$.predicted'],
    ['too many facts', 1, { recorded: 1001 }, '$.recorded'],
  ])('refuses %s', async (_, id, options: EntityOptions, path) => {
    await expect(engine.describeEntity(id, options)).rejects.toMatchObject({ code: 'range', path });
  });
});
