import { parseQueryText, type Query } from '@fuzzqe/core/query';
import { type AnswerOptions, type Engine, estimateSearchCost, openEngine } from '@fuzzqe/engine';
import { memoryBundle, referenceSessions } from '@fuzzqe/engine/testing';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { documentation } from '../documentation/index.ts';
import { type App, createApp, type RequestSubject } from '../index.ts';
import { checkResponses } from '../testing/index.ts';

describe('what queries and entities are told of', () => {
  let engine: Engine;
  let app: App;
  let subjects: (RequestSubject | undefined)[] = [];
  beforeAll(async () => {
    const { source, config, parameters } = await memoryBundle();
    engine = await openEngine({ source, sessions: referenceSessions(config, parameters) });
    const described = createApp(engine, {
      mount: [documentation()],
      middleware: [
        async (context, next) => {
          await next();
          subjects.push(context.get('subject'));
        },
      ],
    });
    const openapi = await (await described.request('/openapi.json')).json();
    app = checkResponses(described, openapi, new Ajv2020({ strict: false })).app;
    subjects = [];
  });
  const post = async (body: unknown, on: App = app): Promise<Response> =>
    on.request('/v1/query', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const get = async (path: string): Promise<Record<string, never>> => (await app.request(path)).json();

  it('explains an answer by the parts of the query and the links that support it', async () => {
    const query = 'and(project(r0, e1), not(project(r1, project(r2, e2))))';
    const { answers, parts } = await (await post({ query, k: 3, explain: true })).json();
    expect(parts.map(({ path }: { path: string }) => path)).toContain('$.and[1].not.from');
    expect(parts[0].best[0]).toMatchObject({ id: answers[0].id, degree: expect.any(Number) });
    for (const { id, derivation, links } of answers) {
      expect(derivation).toMatchObject({ op: 'and', entity: { id }, operands: { length: 2 } });
      expect(links[0]).toMatchObject({
        head: { key: 'e1' },
        relation: { key: 'r0', inverse: false },
        tail: { id },
        recorded: expect.any(Boolean),
      });
    }
    expect(await (await post({ query, k: 3 })).json()).not.toHaveProperty('parts');
    expect((await post({ query, mode: 'embedding', explain: true })).status).toBe(400);
  });

  it.each(['', '/relations', '/batch'])(
    'counts the time to read a query to its limit: /v1/query%s',
    async (path) => {
      let [read, deadline] = [0, 0];
      const on = createApp({
        ...engine,
        costOf(...asked) {
          read ||= performance.now();
          while (performance.now() < read + 2);
          return engine.costOf(...asked);
        },
        answer: ((query: Query, options: AnswerOptions) => {
          deadline = options.deadline ?? 0;
          return engine.answer(query, options);
        }) as Engine['answer'],
      });
      const response = await on.request(`/v1/query${path}`, {
        method: 'POST',
        headers: { 'content-type': path === '/batch' ? 'application/jsonl' : 'application/json' },
        body: JSON.stringify({ query: 'project(r0, e1)', timeoutMs: 5000 }),
      });
      expect([response.status, (await response.text()).includes('"problem"')]).toEqual([200, false]);
      expect(read).toBeGreaterThan(0);
      expect(deadline - 5000).toBeLessThanOrEqual(read);
    },
  );

  it('counts the relations that lead on from the answers to a query', async () => {
    const ask = async (body: unknown): Promise<Response> =>
      app.request('/v1/query/relations', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const { answers, results } = await (await ask({ query: 'e5' })).json();
    expect(answers).toBe(1);
    expect(results.map(({ facts }: { facts: number }) => facts).reduce((a: number, b: number) => a + b)).toBe(
      engine.facts.degree(5),
    );
    expect(subjects.at(-1)).toMatchObject({ mode: 'sets', cost: expect.any(Number) });
    expect((await ask({ query: 'e5', k: 2000 })).status).toBe(422);
    expect((await ask({ query: 'e5', mode: 'embedding' })).status).toBe(400);
    expect((await ask({ query: 'e99' })).status).toBe(422);
    expect(await (await ask({ query: [6, [99]] })).json()).toMatchObject({ path: '$.query[1][0]' });
    expect(await (await ask({ query: 'e5', mode: 'sets' })).json()).toMatchObject({ path: '$.mode' });
  });

  it('leaves only what a filter leaves, by ids or by the answers to a query in any form', async () => {
    const query = 'project(r0, e1)';
    const idsOf = async (filter: unknown): Promise<number[]> => {
      const { answers } = await (await post({ query, k: 40, minDegree: 0, filter })).json();
      return answers.map(({ id }: { id: number }) => id);
    };
    const all = await idsOf(undefined);
    expect(await idsOf({ ids: [3, 1, 4] })).toEqual(all.filter((id) => [1, 3, 4].includes(id)));
    const minDegree = 0.5;
    const byText = await idsOf({ query: 'or(project(r1, e5), project(r0, e9))', minDegree });
    expect(byText.length).toBeGreaterThan(0);
    expect(byText.length).toBeLessThan(all.length);
    const tuples = [[5, [2]], [9, [0]], [-1]];
    expect(await idsOf({ query: tuples, minDegree })).toEqual(byText);
    const tree = {
      or: [
        { project: 'r1', from: { entity: 5 } },
        { project: 0, from: 'e9' },
      ],
    };
    expect(await idsOf({ query: tree, minDegree })).toEqual(byText);
  });

  it.each([
    ['an id beyond the last', { ids: [1, 40] }, 422, '$.filter.ids[1]'],
    ['ids that are none', { ids: 'e1' }, 400, '$.filter'],
    ['nothing', {}, 400, '$.filter'],
    ['two filters', { ids: [1], query: 'e1' }, 400, '$.filter'],
    ['a degree of ids', { ids: [1], minDegree: 0.5 }, 400, '$.filter'],
    ['an unknown name', { query: { entity: 'nobody' } }, 422, '$.filter.query.entity'],
    ['tuples that are none', { query: [[1]] }, 400, '$.filter.query'],
  ])('refuses a filter with %s', async (_, filter, status, path) => {
    const response = await post({ query: 'e1', filter });
    expect([response.status, (await response.json()).path]).toEqual([status, expect.stringContaining(path)]);
  });

  it('refuses what costs more than it may, with both figures, and tells middleware what a query costs', async () => {
    const query = 'project(r0, project(r1, e2))';
    const { status } = await post({ query });
    expect(status).toBe(200);
    const { cost } = subjects.at(-1)!;
    expect(subjects.at(-1)).toEqual({ model: 'memory', version: '1', cost, mode: 'sets', structure: '2p' });
    expect(cost).toBeGreaterThan(0);
    const less = engine.costOf(parseQueryText('project(r0, e1)', engine.vocabulary));
    expect(less).toBeLessThan(cost!);
    const strict = createApp(engine, { costLimit: (less + cost!) / 2 });
    const refused = await post({ query }, strict);
    const problem = await refused.json();
    expect([refused.status, problem.code, problem.path]).toEqual([400, 'cost', '$.query']);
    expect(problem.detail).toMatch(/at most [\d.]+ ms, got [\d.]+ ms with 3 nodes/);
    expect((await post({ query: 'project(r0, e1)' }, strict)).status).toBe(200);
  });

  it.each([
    [
      '26 000 unknown keys',
      () =>
        `{"query":"e1",${'0'
          .repeat(26_000)
          .split('')
          .map((_, i) => `"k${i}":1`)
          .join()}}`,
    ],
    ['a long name', () => JSON.stringify({ query: 'x'.repeat(200_000) })],
    ['a long name that needs escapes', () => JSON.stringify({ query: `"${'\\'.repeat(50_000)}"` })],
    ['a long key twice', () => `{"${'k'.repeat(100_000)}":1,"${'k'.repeat(100_000)}":2}`],
    ['a deep query', () => JSON.stringify({ query: 'not('.repeat(60_000) })],
    ['a long line of control characters', () => JSON.stringify({ query: '\u0001'.repeat(40_000) })],
    [
      'a filter of things that are no ids',
      () => JSON.stringify({ query: 'e1', filter: { ids: new Array(60_000).fill('x') } }),
    ],
    ['a long mode', () => JSON.stringify({ query: 'e1', mode: 'm'.repeat(200_000) })],
    ['no JSON', () => '['.repeat(200_000)],
  ])('answers %s with an error of no more than twenty times the request', async (_, make) => {
    const body = make();
    const response = await app.request('/v1/query', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const text = await response.text();
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.status).toBeLessThan(500);
    expect(text.length).toBeLessThan(20 * body.length);
    // What does not grow with the request is told in a few lines.
    expect(text.length).toBeLessThan(2 * body.length);
  });

  it('charges searches of names, leaves misspelt ones out where they cost too much, and refuses what costs too much', async () => {
    expect(await get('/v1/entities?q=entty%207')).toMatchObject({ total: expect.any(Number) });
    const { cost } = subjects.at(-1)!;
    expect(cost).toBeCloseTo(estimateSearchCost(40), 9);
    const search = async (costLimit: number, text: string) => {
      const response = await createApp(engine, { costLimit }).request(`/v1/entities?q=${text}`);
      const { total, misspelt, code } = await response.json();
      return [response.status, total, misspelt, code];
    };
    const found = await get('/v1/entities?q=entty');
    expect(found['total']).toBeGreaterThan(0);
    expect(found).not.toHaveProperty('misspelt');
    const plain = estimateSearchCost(40, false);
    expect(await search(plain, 'entty')).toEqual([200, 0, false, undefined]);
    expect(await search(plain, 'entity')).toEqual([200, 40, false, undefined]);
    expect(await search(plain / 2, 'entity')).toEqual([400, undefined, undefined, 'cost']);
  });

  it('refuses names of keys that no request has so many of, and operands that would be megabytes', async () => {
    const refuse = async (body: object): Promise<unknown> => {
      const response = await post(body);
      const { code, detail, hint } = await response.json();
      expect(hint).not.toContain('content-type');
      return [response.status, code, detail];
    };
    const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 1]));
    expect(await refuse({ query: 'e1', ...keys(255) })).toEqual([
      400,
      'query',
      expect.stringContaining('$.k0'),
    ]);
    expect(await refuse({ query: 'e1', ...keys(256) })).toEqual([
      413,
      'too-large',
      'body: expected at most 256 names of keys, got more',
    ]);
    const and = Array.from({ length: 1023 }, (_, i) => `e${i % 40}`);
    // With 40 entities k is at most 40, and all its operands are within what may be.
    expect((await post({ query: { and: and.map((name) => ({ entity: name })) }, k: 40 })).status).toBe(200);
    expect(await refuse({ query: { and: and.map((name) => ({ entity: name })) }, k: 65 })).toEqual([
      400,
      'cost',
      'k: expected at most 65536 operands of all answers, got 66495',
    ]);
  });

  it('says where a model is named, if a body names it, and leaves other unknown keys their near names', async () => {
    const ask = async (body: object) => (await post({ query: 'project(r0, e1)', ...body })).json();
    expect(await ask({ model: 'b' })).toMatchObject({
      ...{ status: 400, code: 'query', path: '$.model' },
      hint: 'For example /v1/models/NAME/query.',
    });
    expect((await ask({ moed: 'sets' })).hint).toContain('{"query"');
  });

  it('offers near names where looking for them costs no more than a request may', async () => {
    const hintOf = async (costLimit: number): Promise<string> =>
      (await (await post({ query: '"Entty 7"' }, createApp(engine, { costLimit }))).json()).hint;
    const cost = estimateSearchCost(40);
    expect(await hintOf(cost)).toContain('did you mean');
    expect(await hintOf(cost / 2)).not.toContain('did you mean');
  });

  it('charges the relations that may follow for each answer, and refuses too many', async () => {
    const relations = (body: object, on: App = app) =>
      on.request('/v1/query/relations', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    expect((await relations({ query: 'e1', k: 2 })).status).toBe(200);
    const { cost } = subjects.at(-1)!;
    const query = parseQueryText('e1', engine.vocabulary);
    expect(cost).toBeGreaterThan(engine.costOf(query, { k: 2 }));
    expect(cost).toBe(engine.costOf(query, { k: 2, next: true }));
    const strict = createApp(engine, { costLimit: cost! });
    expect((await relations({ query: 'e1', k: 2 }, strict)).status).toBe(200);
    const refused = await relations({ query: 'e1', k: 3 }, strict);
    expect([refused.status, (await refused.json()).code]).toEqual([400, 'cost']);
  });

  it('refuses the page of an entity that costs more than a query may', async () => {
    const one = engine.costOf(parseQueryText('project(r0, e7)', engine.vocabulary));
    const strict = createApp(engine, { costLimit: 2 * one });
    const statusOf = async (limit: number): Promise<number> =>
      (await strict.request(`/v1/entities/e7?limit=${limit}`)).status;
    expect([await statusOf(1), await statusOf(6)]).toEqual([200, 400]);
  });

  it('tells middleware what the lines of a batch cost together', async () => {
    const query = 'project(r0, project(r1, e2))';
    await post({ query });
    const cost = subjects.at(-1)!.cost!;
    const response = await app.request('/v1/query/batch', {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: `${JSON.stringify({ query })}\n`.repeat(3),
    });
    await response.text();
    expect(subjects.at(-1)).toEqual({ model: 'memory', version: '1', cost: expect.closeTo(3 * cost, 9) });
  });

  it('describes an entity by its id, its key or its label', async () => {
    const byId = await get('/v1/entities/7?limit=2&predicted=1');
    expect(subjects.at(-1)).toEqual({ model: 'memory', version: '1', cost: expect.any(Number) });
    expect(subjects.at(-1)!.cost).toBeGreaterThan(0);
    expect(byId).toMatchObject({ id: 7, key: 'e7', label: 'Entity 7', relations: { total: 6 } });
    expect(byId['relations']).toHaveProperty('results.length', 2);
    expect(await get('/v1/entities/e7?limit=2&predicted=1')).toEqual(byId);
    expect(await get('/v1/models/memory/entities/Entity%207?limit=2&predicted=1')).toEqual(byId);
    expect(await get('/v1/entities/%237?limit=2&predicted=1')).toEqual(byId);
  });

  it.each([
    ['/v1/entities/40', 404, 'id'],
    ['/v1/entities/nobody', 404, 'id'],
    ['/v1/entities/e7?limit=65', 422, 'limit'],
    ['/v1/entities/e7?predicted=x', 422, 'predicted'],
    ['/v1/entities/e7?q=x', 400, 'q'],
    ['/v1/entities?q=a&q=b', 400, 'q'],
  ])('refuses GET %s', async (path, status, where) => {
    const response = await app.request(path);
    const problem = await response.json();
    expect([response.status, problem.path]).toEqual([status, where]);
    expect(problem.hint).toEqual(expect.any(String));
  });

  it('lists the structures, each with a query of it that can be asked', async () => {
    const { structures } = await (await app.request('/v1/structures')).json();
    expect(structures).toHaveLength(14);
    for (const { name, example, tuple } of structures) {
      const text = await (await post({ query: example, k: 2 })).json();
      expect(text.plan.structure).toBe(name);
      expect((await (await post({ query: tuple, k: 2 })).json()).answers).toEqual(text.answers);
      expect(text.answers.length).toBeGreaterThan(0);
    }
  });

  it('lists patterns that recorded facts answer', async () => {
    const { patterns } = await (await app.request('/v1/structures')).json();
    expect(patterns.length).toBeGreaterThan(0);
    for (const { text } of patterns) {
      const body = JSON.stringify({ pattern: text, k: 2 });
      const headers = { 'content-type': 'application/json' };
      const answer = await (await app.request('/v1/patterns', { method: 'POST', headers, body })).json();
      expect(answer.rows.map(({ state }: { state: string }) => state)).toContain('recorded');
    }
  });
});
