import { asEntityId, asRelationId } from '@fuzzqe/core';
import { entity, project, type Query } from '@fuzzqe/core/query';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type AnswerOptions,
  type Engine,
  type EngineOptions,
  openEngine,
  type RankOptions,
  type RankSetsOptions,
} from './index.ts';
import { memoryBundle, referenceSessions } from './testing/index.ts';

const query = project(asRelationId(0), entity(asEntityId(1)));
const tree = (value: unknown): Query => value as Query; // what callers without types may give
const options = (value: unknown): AnswerOptions & RankOptions & RankSetsOptions => value as AnswerOptions;

let engine: Engine;
beforeAll(async () => {
  const { source, config, parameters } = await memoryBundle();
  engine = await openEngine({ source, sessions: referenceSessions(config, parameters) });
});

describe('options', () => {
  it.each<[string, unknown, string]>([
    ['exclude', 'Known', 'expected known or none, got "Known"'],
    ['exclude', true, 'got true'],
    ['exclude', {}, 'got {}'],
    ['exclude', null, 'got null'],
    ['explain', 'true', 'expected true or false, got "true"'],
    ['suggestions', 1, 'got 1'],
    ['asksAgain', 1, 'got 1'],
    ['deadline', Number.NaN, 'expected a number of milliseconds, got NaN'],
    ['deadline', '5', 'got "5"'],
    ['signal', {}, 'expected an AbortSignal, got {}'],
    ['plan', 'x', 'got "x"'],
    ['topK', 3, 'expected no such key'],
    ['mode', Symbol('sets'), 'got a symbol'],
    ['mode', 'Sets', 'expected sets or embedding, got "Sets"'],
  ])('refuse %s: %s in every mode', async (name, value, message) => {
    const error = { code: 'usage', path: `$.${name}`, message: expect.stringContaining(`${name}: `) };
    for (const mode of ['sets', 'embedding'] as const) {
      const asked = options({ mode, [name]: value });
      await expect(engine.answer(query, asked)).rejects.toMatchObject(error);
      await expect(engine.answerAll([query], asked)).rejects.toThrow(message);
      expect(() => engine.costOf(query, asked)).toThrow(message);
    }
  });

  it.each<[string, unknown, string]>([
    ['minDegree', Number.NaN, 'expected a number in [0, 1], got NaN'],
    ['minDegree', 10n, 'got 10'],
    ['minDegree', Symbol('one'), 'got a symbol'],
    ['minDegree', null, 'got null'],
    ['k', '5', 'expected an integer in [1, 40], got "5"'],
    ['k', [], 'got []'],
    ['k', null, 'got null'],
    ['k', Symbol('one'), 'got a symbol'],
    ['filter', { query, minDegree: 10n }, 'got 10'],
    ['filter', { ids: ['5'] }, 'got "5"'],
  ])('refuse %s: %s as out of its range', async (name, value, message) => {
    await expect(engine.answer(query, options({ [name]: value }))).rejects.toMatchObject({
      code: 'range',
      message: expect.stringMatching(new RegExp(`${message.replace(/[[\]]/g, '\\$&')}$`)),
    });
  });

  it.each([null, 'k', 5])('are an object, and not %s', async (given) => {
    const error = { code: 'usage', path: '$.options' };
    await expect(engine.answer(query, options(given))).rejects.toMatchObject(error);
    await expect(engine.embed(query, options(given))).rejects.toMatchObject(error);
    for (const method of ['answerAll', 'rank', 'rankSets'] as const)
      await expect(engine[method]([query], options(given))).rejects.toMatchObject(error);
    await expect(engine.describeEntity(1, options(given))).rejects.toMatchObject(error);
    expect(() => engine.costOf(query, options(given))).toThrow(expect.objectContaining(error));
  });

  it('are those that the method has', async () => {
    const error = (name: string) => ({ code: 'usage', path: `$.${name}` });
    await expect(engine.rank([query], options({ filter: { ids: [1] } }))).rejects.toMatchObject(
      error('filter'),
    );
    await expect(engine.rankSets([query], options({ explain: true }))).rejects.toMatchObject(
      error('explain'),
    );
    await expect(engine.embed(query, options({ k: 1 }))).rejects.toMatchObject(error('k'));
    await expect(engine.embed(query, options({ plan: 'x' }))).rejects.toMatchObject(error('plan'));
    await expect(engine.describeEntity(1, options({ k: 1 }))).rejects.toMatchObject(error('k'));
    expect(() => engine.costOf(query, options({ next: 1 }))).toThrow(expect.objectContaining(error('next')));
    await expect(engine.warmUp('both' as never)).rejects.toMatchObject(error('mode'));
    await expect(engine.answer(query, options({ minDegre: 1 }))).rejects.toMatchObject({
      hint: 'did you mean "minDegree"?',
    });
  });

  it('may be given as undefined, and explain and suggestions as false in any mode', async () => {
    const undecided = { exclude: undefined, topK: undefined, filter: { ids: [1, 2], query: undefined } };
    const plain = await engine.answer(query, { filter: { ids: [1, 2] } });
    expect(await engine.answer(query, options(undecided))).toEqual(plain);
    const off = { mode: 'embedding', explain: false, suggestions: false, deadline: Number.POSITIVE_INFINITY };
    expect((await engine.answer(query, options(off))).answers).toHaveLength(10);
    expect(engine.costOf(query, { next: true })).toBeGreaterThan(0);
  });
});

describe('what an engine is opened with', () => {
  it.each([
    ['plan', 'x'],
    ['batchSize', Number.NaN],
    ['batchSize', 0],
    ['cacheBytes', -1],
    ['sessions', 'node'],
    ['source', './bundle'],
    ['source', undefined],
    ['source', {}],
    ['sessions', {}],
    ['verify', 'no'],
    ['log', 3],
    ['pln', 'edge'],
    // Anybody's bundle would be opened.
    ['requireSignatur', 'a key'],
  ])('is refused with its name: %s %j', async (name, value) => {
    const { source, config, parameters } = await memoryBundle();
    const given: object = { source, sessions: referenceSessions(config, parameters), [name]: value };
    // Callers without types can ask so.
    await expect(openEngine(given as EngineOptions)).rejects.toMatchObject({
      ...{ code: 'usage', path: `$.${name}` },
    });
  });
});

describe('what is asked', () => {
  it.each<[string, unknown]>([
    ['text', 'project(borders, France)'],
    ['the JSON form', { project: 'borders', from: { entity: 'France' } }],
    ['nothing', null],
    ['no tree', { op: 'project', relation: 0, from: 0 }],
  ])('is refused by every method where it is %s', async (_, given) => {
    await expect(engine.answer(tree(given))).rejects.toMatchObject({ code: 'query' });
    await expect(engine.embed(tree(given))).rejects.toMatchObject({ code: 'query' });
    for (const method of ['answerAll', 'rank', 'rankSets', 'degrees'] as const)
      await expect(engine[method]([tree(given)])).rejects.toMatchObject({ code: 'query' });
    expect(() => engine.costOf(tree(given))).toThrow(expect.objectContaining({ code: 'query' }));
  });

  it('is an array where several are asked together', async () => {
    for (const method of ['answerAll', 'rank', 'rankSets', 'degrees'] as const)
      for (const given of [null, query, 'France'])
        await expect(engine[method](given as never)).rejects.toMatchObject({
          code: 'query',
          message: expect.stringContaining('queries: expected an array of queries, got '),
        });
  });
});
