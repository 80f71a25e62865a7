import { FuzzError } from '@fuzzqe/core';
import { pageTokens } from '@fuzzqe/core/text';
import { type Engine, openEngine } from '@fuzzqe/engine';
import { memoryBundle, referenceSessions } from '@fuzzqe/engine/testing';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { documentation } from './documentation/index.ts';
import { type App, createApp } from './index.ts';
import { checkResponses } from './testing/index.ts';

const json = { 'content-type': 'application/json' };

describe('the HTTP API', () => {
  let engine: Engine;
  let app: App;
  beforeAll(async () => {
    const { source, config, parameters } = await memoryBundle();
    engine = await openEngine({ source, sessions: referenceSessions(config, parameters) });
    const described = createApp(engine, { mount: [documentation()] });
    const openapi = await (await described.request('/openapi.json')).json();
    app = checkResponses(described, openapi, new Ajv2020({ strict: false })).app;
  });
  const post = async (body: unknown, on: App = app): Promise<Response> =>
    on.request('/v1/query', { method: 'POST', headers: json, body: JSON.stringify(body) });
  const problem = async (response: Response): Promise<Record<string, unknown>> => {
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    const found = await response.json();
    expect(found).toMatchObject({ type: 'about:blank', status: response.status, title: expect.any(String) });
    expect(found.requestId).toBe(response.headers.get('x-request-id'));
    return found;
  };

  describe('POST /v1/query', () => {
    it('answers a query as text, by fuzzy sets', async () => {
      const response = await post({ query: 'project(r0, "Entity 1")', k: 3 });
      expect(response.status).toBe(200);
      const { mode, answers, suggestions, warnings, plan } = await response.json();
      expect(mode).toBe('sets');
      expect([...answers, ...suggestions]).toHaveLength(3);
      expect(answers[0] ?? suggestions[0]).toEqual({
        id: expect.any(Number),
        key: expect.stringMatching(/^e\d+$/),
        label: expect.stringMatching(/^Entity \d+$/),
        degree: expect.any(Number),
        state: expect.stringMatching(/^(recorded|predicted)$/),
      });
      expect(warnings).toEqual([]);
      expect(plan).toEqual({ kind: 'sets', structure: '1p', graphs: { links: 1 } });
    });

    it('answers by the embedding when told to', async () => {
      const body = { query: 'project(r0, "Entity 1")', k: 3, mode: 'embedding' };
      const { mode, answers, plan } = await (await post(body)).json();
      expect(mode).toBe('embedding');
      expect(answers.map(Object.keys)).toEqual(new Array(3).fill(['id', 'key', 'label', 'known', 'score']));
      expect(plan).toEqual({ kind: 'structure', structure: '1p', graphs: { '1p': 1, rank: 1 } });
    });

    it('gives the degrees of the operands of a conjunction, and the answers of a least degree', async () => {
      const query = 'and(project(r0, e1), not(project(r1^-1, e2)))';
      const all = (await (await post({ query, k: 40, minDegree: 0 })).json()).answers;
      for (const { operands } of all)
        expect(operands).toEqual(
          new Array(2).fill({ degree: expect.any(Number), known: expect.any(Boolean) }),
        );
      const minDegree = all[4].degree;
      const { answers, suggestions, warnings } = await (await post({ query, k: 40, minDegree })).json();
      const isAnswer = ({ degree, state }: { degree: number; state: string }): boolean =>
        degree >= minDegree || state === 'recorded' || state === 'doubted';
      expect(answers).toEqual(all.filter(isAnswer));
      expect(answers.length).toBeLessThan(all.length);
      const below = all.filter((each: (typeof all)[0]) => !isAnswer(each) && each.degree >= 0.01);
      expect(suggestions).toEqual(below);
      const alone = await (await post({ query, k: 40, minDegree, suggestions: false })).json();
      expect([alone.answers, alone.suggestions]).toEqual([answers, []]);
      expect(warnings).toEqual([]);
    });

    it('answers a query as JSON, the same', async () => {
      const text = await post({ query: 'and(project(r0, e1), not(project(r1^-1, e2)))' });
      const tree = await post({
        query: {
          and: [
            { project: 'r0', from: { entity: 'e1' } },
            { not: { project: 'r1^-1', from: { entity: 2 } } },
          ],
        },
      });
      expect(tree.status).toBe(200);
      expect(await tree.json()).toEqual(await text.json());
    });

    it('answers a query in tuples, the same', async () => {
      const text = await post({ query: 'and(project(r0, e1), not(project(r1^-1, e2)))' });
      const tuples = await post({
        query: [
          [1, [0]],
          [2, [3, -2]],
        ],
      });
      expect(tuples.status).toBe(200);
      expect(await tuples.json()).toEqual(await text.json());
    });

    it('gives ten answers unless told otherwise, and leaves out known ones when asked to', async () => {
      const query = 'or(project(r0, e1), project(r1, e2), project(r2, e3))';
      expect((await (await post({ query, minDegree: 0 })).json()).answers).toHaveLength(10);
      const { answers } = await (await post({ query, minDegree: 0, exclude: 'known', k: 40 })).json();
      expect(new Set(answers.map(({ state }: { state: string }) => state))).toEqual(new Set(['predicted']));
    });

    it('answers requests that overlap', async () => {
      const queries = Array.from({ length: 20 }, (_, i) => ({ query: `project(r${i % 3}, e${i})`, k: 4 }));
      const together = await Promise.all(queries.map((body) => post(body).then((r) => r.json())));
      for (const [i, body] of queries.entries()) expect(together[i]).toEqual(await (await post(body)).json());
    });

    it.each([
      ['a query that is no query', { query: 'project(r0' }, 400, 'query'],
      ['no query', { k: 3 }, 400, 'query'],
      ['an array', [], 400, 'query'],
      ['null', null, 400, 'query'],
      ['a key that does not exist', { query: 'e1', K: 3 }, 400, 'query'],
      ['a k that is no number', { query: 'e1', k: '3' }, 400, 'query'],
      ['a k that is not whole', { query: 'e1', k: 1.5 }, 400, 'query'],
      ['an exclusion that does not exist', { query: 'e1', exclude: 'all' }, 400, 'query'],
      ['a mode that does not exist', { query: 'e1', mode: 'both' }, 400, 'query'],
      ['a degree that is no number', { query: 'e1', minDegree: '1' }, 400, 'query'],
      ['a degree by embedding', { query: 'e1', minDegree: 0.5, mode: 'embedding' }, 400, 'usage'],
      ['a degree above 1', { query: 'e1', minDegree: 1.5 }, 422, 'range'],
      ['a degree below 0', { query: 'e1', minDegree: -0.1 }, 422, 'range'],
      ['an unknown entity', { query: 'project(r0, "Entitty 1")' }, 422, 'vocabulary'],
      ['an unknown relation', { query: { project: 'r9', from: 'e1' } }, 422, 'vocabulary'],
      ['a negative id', { query: { entity: -1 } }, 422, 'range'],
      ['an id beyond the last', { query: { entity: 40 } }, 422, 'range'],
      ['tuples that are none', { query: [[1, ['r0']]] }, 400, 'query'],
      ['tuples of no operands', { query: [] }, 400, 'query'],
      ['an id in tuples beyond the last', { query: [40, [0]] }, 422, 'range'],
      ['a time that is none', { query: 'e1', timeoutMs: 0 }, 400, 'query'],
      ['k = 0', { query: 'e1', k: 0 }, 422, 'range'],
      ['k = -1', { query: 'e1', k: -1 }, 422, 'range'],
      ['a k beyond the entities', { query: 'e1', k: 41 }, 422, 'range'],
    ])('refuses %s', async (_, body, status, code) => {
      const response = await post(body);
      expect(response.status).toBe(status);
      expect(await problem(response)).toMatchObject({
        code,
        detail: expect.any(String),
        hint: expect.any(String),
      });
    });

    it.each([
      [{ query: [60, [99]] }, '$.query[0]'],
      [{ query: [6, [1, -2, 99]] }, '$.query[1][2]'],
      [
        {
          query: [
            [60, [0]],
            [99, [0]],
          ],
        },
        '$.query[0][0]',
      ],
      [
        {
          query: [
            [6, [0]],
            [99, [0]],
          ],
        },
        '$.query[1][0]',
      ],
      [{ query: [[[1, [0]], [2, 99], [-1]], [0]] }, '$.query[0][1][1]'],
      [{ query: 'e1', filter: { query: [6, [99]] } }, '$.filter.query[1][0]'],
      [{ query: 'e1', k: '5' }, '$.k'],
      [{ query: 'e1', filter: { id: [1] } }, '$.filter.id'],
      [{ query: 'e1', mode: 'both' }, '$.mode'],
      [[], '$'],
    ])('says where it is wrong: %j', async (body, path) => {
      expect(await problem(await post(body))).toMatchObject({
        path,
        hint: expect.not.stringMatching(/^Correct/),
      });
    });

    it('offers near names for an unknown one, and says where it stands', async () => {
      const body = { query: { and: [{ entity: 'e1' }, { project: 'r0', from: { entity: 'Entitty 7' } }] } };
      const { path, hint } = await problem(await post(body));
      expect(path).toBe('$.query.and[1].from.entity');
      expect(hint).toContain('GET /v1/entities?q=');
      expect(hint).toContain('"Entity 7"');
    });

    it('refuses a query that is too deep or too large', async () => {
      const deep = `${'not('.repeat(70)}e1${')'.repeat(70)}`;
      const wide = `or(${Array.from({ length: 1100 }, () => 'e1').join(',')})`;
      for (const query of [deep, wide]) {
        const response = await post({ query });
        expect(response.status).toBe(400);
        expect(await problem(response)).toMatchObject({ code: 'query' });
      }
      const nested = `${'{"query":'.repeat(9000)}1${'}'.repeat(9000)}`;
      const response = await app.request('/v1/query', { method: 'POST', headers: json, body: nested });
      expect(response.status).toBe(400);
    });

    it('has a limit of its own for k', async () => {
      const limited = createApp(engine, { maxK: 5 });
      expect((await post({ query: 'e1', k: 5 }, limited)).status).toBe(200);
      const response = await post({ query: 'e1', k: 6 }, limited);
      expect(response.status).toBe(422);
      expect(await problem(response)).toMatchObject({ code: 'range', path: '$.k' });
    });

    it.each([
      ['no JSON', '{"query": ', json, 400, 'syntax'],
      ['an empty body', '', json, 400, 'syntax'],
      ['a key twice', '{"query":"e1","k":1,"k":2}', json, 400, 'syntax'],
      ['a key twice in the query', '{"query":{"entity":"e1","\\u0065ntity":"e2"}}', json, 400, 'syntax'],
      ['a time that is no number', '{"query":"e1"}', { ...json, 'x-timeout-ms': '1s' }, 422, 'range'],
      ['bytes that are not UTF-8', Uint8Array.of(0x22, 0xff, 0x22), json, 400, 'encoding'],
      ['a UTF-16 surrogate as UTF-8', Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22), json, 400, 'encoding'],
      ['text/plain', '{}', { 'content-type': 'text/plain' }, 415, 'media-type'],
      ['another charset', '{}', { 'content-type': 'application/json; charset=latin1' }, 415, 'media-type'],
      ['a compressed body', '{}', { ...json, 'content-encoding': 'gzip' }, 415, 'media-type'],
    ])('refuses %s', async (_, body, headers, status, code) => {
      const response = await app.request('/v1/query', { method: 'POST', headers, body });
      expect(response.status).toBe(status);
      expect(await problem(response)).toMatchObject({ code, hint: expect.any(String) });
    });

    it('takes a media type in any case and with its charset', async () => {
      const headers = { 'content-type': 'Application/JSON;charset="UTF-8"' };
      const response = await app.request('/v1/query', { method: 'POST', headers, body: '{"query":"e1"}' });
      expect(response.status).toBe(200);
    });

    it('refuses a body that is announced too large, without reading it', async () => {
      let pulled = 0;
      const body = new ReadableStream<Uint8Array>(
        {
          pull() {
            pulled += 1;
          },
        },
        { highWaterMark: 0 },
      );
      const headers = { ...json, 'content-length': '300000' };
      const request = new Request('http://test/v1/query', {
        method: 'POST',
        headers,
        body,
        duplex: 'half',
      } as RequestInit);
      const response = await app.fetch(request);
      expect(response.status).toBe(413);
      expect(await problem(response)).toMatchObject({ code: 'too-large' });
      expect(pulled).toBe(0);
    });

    it('stops reading a body that turns out too large', async () => {
      let sent = 0;
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          sent += 100;
          controller.enqueue(new Uint8Array(100).fill(0x20));
        },
      });
      const request = new Request('http://test/v1/query', {
        method: 'POST',
        headers: json,
        body,
        duplex: 'half',
      } as RequestInit);
      const response = await createApp(engine, { bodyLimit: 1000 }).fetch(request);
      expect(response.status).toBe(413);
      expect(sent).toBeLessThan(1500);
    });

    it('does not blame itself for a connection that breaks off', async () => {
      for (const length of [{}, { 'content-length': '20' }]) {
        const body = new ReadableStream<Uint8Array>({
          start(controller) {
            controller.error(new Error('reset'));
          },
        });
        const headers = { ...json, ...length };
        const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
        const response = await app.fetch(new Request('http://test/v1/query', init));
        expect(response.status).toBe(400);
        expect(await problem(response)).toMatchObject({ code: 'syntax' });
      }
    });

    it('takes a body of exactly the limit', async () => {
      const body = '{"query":"e1"}';
      const limited = createApp(engine, { bodyLimit: body.length });
      expect((await limited.request('/v1/query', { method: 'POST', headers: json, body })).status).toBe(200);
      const longer = { method: 'POST', headers: json, body: `${body} ` };
      expect((await limited.request('/v1/query', longer)).status).toBe(413);
    });
  });

  describe('what goes wrong inside', () => {
    const failing = (error: unknown): Engine => ({
      ...engine,
      answer: (): Promise<never> => Promise.reject(error),
    });

    it('is told without a stack, a path or its words, and to the log in full', async () => {
      const heard: unknown[] = [];
      const error = new Error('secret at /srv/bundle');
      const on = createApp(failing(error), { onError: (...fault) => heard.push(fault) });
      const response = await post({ query: 'e1' }, on);
      expect(response.status).toBe(500);
      const found = await problem(response);
      expect(found['code']).toBe('internal');
      expect(JSON.stringify(found)).not.toMatch(/secret|srv|\.ts|stack/);
      expect(heard).toEqual([[error, found['requestId'], 'answer']]);
    });

    it('is 504, 429 or nothing to tell where it took too long, too much waits or the client has gone', async () => {
      const heard: unknown[] = [];
      const on = (code: 'deadline' | 'overloaded' | 'interrupted'): App =>
        createApp(failing(new FuzzError(code, 'it is so')), { onError: (error) => heard.push(error) });
      const late = await post({ query: 'e1' }, on('deadline'));
      expect([late.status, await problem(late)]).toMatchObject([
        504,
        { code: 'deadline', detail: 'it is so' },
      ]);
      expect(heard.splice(0)).toHaveLength(0);
      const full = await post({ query: 'e1' }, on('overloaded'));
      expect([full.status, full.headers.get('retry-after')]).toEqual([429, '1']);
      expect((await post({ query: 'e1' }, on('interrupted'))).status).toBe(499);
      expect(heard).toHaveLength(0);
    });

    it('gives the engine the signal of the client and the least of the times that were given', async () => {
      const given: { signal: AbortSignal; deadline: number }[] = [];
      const answer = (query: Parameters<Engine['answer']>[0], options: (typeof given)[number]): unknown => {
        given.push(options);
        return engine.answer(query, { k: 1 });
      };
      const on = createApp({ ...engine, answer: answer as Engine['answer'] }, { timeout: 5000 });
      const client = new AbortController();
      const ask = (timeoutMs?: number, header?: number): unknown =>
        on.request('/v1/query', {
          method: 'POST',
          headers: { ...json, ...(header === undefined ? {} : { 'x-timeout-ms': String(header) }) },
          body: JSON.stringify({ query: 'e1', timeoutMs }),
          signal: client.signal,
        });
      const before = performance.now();
      await Promise.all([ask(), ask(3000), ask(3000, 2000), ask(9000, 8000)]);
      const took = performance.now() - before;
      for (const [i, least] of [5000, 3000, 2000, 5000].entries()) {
        const left = given[i]!.deadline - before;
        expect(left).toBeGreaterThanOrEqual(least);
        expect(left).toBeLessThanOrEqual(least + took);
      }
      client.abort();
      expect(given.map(({ signal }) => signal.aborted)).toEqual(new Array(4).fill(true));
    });

    it.each([
      ['a graph that the runtime refuses', new FuzzError('runtime', 'no kernel at 0x7f'), 500, null],
      ['a file that was altered', new FuzzError('bundle', 'altered at 0x7f'), 500, null],
      ['what nobody expected', new TypeError('undefined at 0x7f'), 500, null],
      [
        'a thread that is being replaced',
        new FuzzError('runtime', 'at 0x7f', { passing: true, retryAfter: 2.5 }),
        503,
        '3',
      ],
      ['a file that too many are open beside', new FuzzError('bundle', '0x7f', { passing: true }), 503, '1'],
      ['memory that ran out', new RangeError('Array buffer allocation failed at 0x7f'), 503, '1'],
    ])('is 500 where a fault lasts and 503 where it passes: %s', async (_, error, status, retryAfter) => {
      const response = await post({ query: 'e1' }, createApp(failing(error)));
      expect(response.status).toBe(status);
      expect(response.headers.get('retry-after')).toBe(retryAfter);
      const told = await problem(response);
      expect(told).toMatchObject({ status });
      expect(JSON.stringify(told)).not.toContain('0x7f');
    });
  });

  describe('GET /v1/entities and /v1/relations', () => {
    const get = async (path: string): Promise<unknown> => (await app.request(path)).json();

    it('search by key and label', async () => {
      expect(await get('/v1/entities?q=entity%203&limit=2')).toEqual({
        total: 11,
        results: [
          { id: 3, key: 'e3', label: 'Entity 3' },
          { id: 30, key: 'e30', label: 'Entity 30' },
        ],
      });
      expect(await get('/v1/relations?q=r1')).toMatchObject({ total: 1, results: [{ id: 2, key: 'r1' }] });
    });

    it('go on by offset', async () => {
      expect(await get('/v1/entities?q=entity%203&limit=2&offset=1')).toMatchObject({
        total: 11,
        results: [{ id: 30 }, { id: 31 }],
      });
      expect(await get('/v1/entities?limit=3&offset=38')).toMatchObject({
        total: 40,
        results: [{ id: 38 }, { id: 39 }],
      });
      // Ids of forward relations are even.
      expect(await get('/v1/relations?limit=1&offset=1')).toMatchObject({ results: [{ id: 2, key: 'r1' }] });
      expect(await get('/v1/relations?offset=7')).toEqual({ total: 3, results: [] });
    });

    it('list from the first where nothing is searched', async () => {
      expect(await get('/v1/entities')).toMatchObject({ total: 40, results: { length: 10, 0: { id: 0 } } });
      expect(await get('/v1/relations')).toEqual({
        total: 3,
        results: [0, 1, 2].map((i) => ({ id: 2 * i, key: `r${i}`, label: `relation ${i}` })),
      });
    });

    it.each(['0', '-1', '1001', '1.5', 'x', ''])('refuse limit=%s', async (limit) => {
      const response = await app.request(`/v1/entities?limit=${limit}`);
      expect(response.status).toBe(422);
      expect(await problem(response)).toMatchObject({ code: 'range', path: 'limit' });
    });

    it('refuse parameters that they do not have', async () => {
      const response = await app.request('/v1/relations?query=x');
      expect(response.status).toBe(400);
      expect(await problem(response)).toMatchObject({ code: 'usage', path: 'query' });
      expect(await problem(await app.request('/v1/relations?limti=3'))).toMatchObject({
        code: 'usage',
        detail: 'limti: expected no such key, got "3" (did you mean "limit"?)',
      });
    });
  });

  it('says at /healthz what is running, and 503 once it closes', async () => {
    const response = await app.request('/healthz');
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      name: 'memory',
      runtime: 'float64 reference',
      profile: 'fp32',
      ready: true,
    });
    const closing = createApp({ ...engine, ready: false });
    expect((await closing.request('/healthz')).status).toBe(503);
  });

  it('shows a page to people and JSON to programs at /', async () => {
    const page = await app.request('/', { headers: { accept: 'text/html,*/*' } });
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    expect(await page.text()).toContain('POST /v1/query');
    for (const accept of ['text/html;q=0.5, application/json', 'text/html;q=0, */*', 'text/*;q=0.9, */*'])
      expect((await app.request('/', { headers: { accept } })).headers.get('content-type')).toMatch(/json$/);
    const named = createApp({ ...engine, manifest: { ...engine.manifest, name: `<b>"it's" & more` } });
    const text = await (await named.request('/', { headers: { accept: 'text/html' } })).text();
    expect(text).toContain('<h1>&#60;b&#62;&#34;it&#39;s&#34; &#38; more</h1>');
    expect(text).not.toContain('<b>');
    expect(await (await app.request('/')).json()).toMatchObject({
      name: 'memory',
      entities: 40,
      relations: 3,
      modes: ['sets', 'embedding'],
      warnings: [],
    });
    const unfitted = await memoryBundle({ fitted: false });
    const sessions = referenceSessions(unfitted.config, unfitted.parameters);
    const unsure = createApp(await openEngine({ source: unfitted.source, sessions }));
    const { warnings } = await (await unsure.request('/')).json();
    expect(warnings).toEqual([expect.stringMatching(/^default-calibration: .*fuzzqe calibrate/)]);
    const small = createApp({ ...engine, manifest: { ...engine.manifest, modes: ['embedding'] } });
    expect(await (await small.request('/')).json()).toMatchObject({ modes: ['embedding'] });
    const shown = await unsure.request('/', { headers: { accept: 'text/html' } });
    expect(await shown.text()).toContain(warnings[0]);
  });

  it('shows its page in the colours of all pages, and in another style where it is given one', async () => {
    const style = async (options = {}): Promise<string> => {
      const page = await createApp(engine, options).request('/', { headers: { accept: 'text/html' } });
      return /<style>(.*?)<\/style>/s.exec(await page.text())![1]!;
    };
    const [light = '', dark = ''] = pageTokens.split('@media');
    const nameIn = (tokens: string, colour?: string) => new RegExp(`(--\\w+):${colour};`).exec(tokens)?.[1];
    const own = [...(await style()).matchAll(/light-dark\((.*?),(.*?)\)/g)];
    expect(own.length).toBeGreaterThan(2);
    for (const [, ofLight, ofDark] of own) {
      expect(nameIn(light, ofLight)).toBeDefined();
      expect(nameIn(dark, ofDark)).toBe(nameIn(light, ofLight));
    }
    expect(await style({ pageStyle: 'body{color:red}' })).toMatch(/^body\{color:red\}/);
  });

  it('says what there is where a path does not exist', async () => {
    const response = await app.request('/v2/query');
    expect(response.status).toBe(404);
    expect(await problem(response)).toMatchObject({
      code: 'not-found',
      hint: expect.stringContaining('GET /'),
    });
  });

  it.each([
    ['GET', '/v1/query', 'POST'],
    ['DELETE', '/v1/entities', 'GET, HEAD'],
    ['POST', '/healthz', 'GET, HEAD'],
    ['PUT', '/', 'GET, HEAD'],
  ])('refuses %s %s and names the method', async (method, path, allow) => {
    const response = await app.request(path, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe(allow);
    expect(await problem(response)).toMatchObject({ code: 'method' });
  });

  it('answers HEAD like GET, without the body', async () => {
    const response = await app.request('/healthz', { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('');
  });

  it('keeps the request id of the client and gives one where there is none', async () => {
    const headers = { 'x-request-id': 'abc-123' };
    expect((await app.request('/', { headers })).headers.get('x-request-id')).toBe('abc-123');
    expect((await app.request('/nowhere', { headers })).headers.get('x-request-id')).toBe('abc-123');
    expect((await app.request('/')).headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
  });

  it('lets pages of the given origins call it, and no others', async () => {
    const open = createApp(engine, { cors: ['https://a.example'] });
    const preflight = (origin: string) =>
      open.request('/v1/query', {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': sent.join(','),
        },
      });
    // What clients of queries, of traces and of the Model Context Protocol send.
    const sent = ['authorization', 'content-type', 'traceparent', 'x-request-id', 'x-timeout-ms'].concat([
      'last-event-id',
      'mcp-method',
      'mcp-name',
      'mcp-param-region',
      'mcp-protocol-version',
      'mcp-session-id',
    ]);
    const allowed = await preflight('https://a.example');
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://a.example');
    expect(allowed.headers.get('access-control-allow-headers')?.split(',')).toEqual(sent);
    expect((await preflight('https://b.example')).headers.get('access-control-allow-origin')).toBeNull();
    const failing = await open.request('/nowhere', { headers: { origin: 'https://a.example' } });
    expect(failing.headers.get('access-control-allow-origin')).toBe('https://a.example');
    // Such as x-request-id and retry-after.
    expect(failing.headers.get('access-control-expose-headers')).toBe('*');
    // In whichever form all of them are named.
    for (const cors of ['*', ['*'], ['https://b.example', '*']]) {
      const any = await createApp(engine, { cors }).request('/', {
        headers: { origin: 'https://a.example' },
      });
      expect(any.headers.get('access-control-allow-origin')).toBe('*');
    }
    const closed = await app.request('/', { headers: { origin: 'https://a.example' } });
    expect(closed.headers.get('access-control-allow-origin')).toBeNull();
  });
});
