import { request } from 'node:http';
import { FuzzError } from '@fuzzqe/core';
import type { Query } from '@fuzzqe/core/query';
import type { AnswerOptions, Engine } from '@fuzzqe/engine';
import { openEngine } from '@fuzzqe/engine';
import { memoryBundle, referenceSessions } from '@fuzzqe/engine/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccessKey, parseAccessKeys } from '../access/access-keys.ts';
import { inferenceProtocolPart } from '../inference-protocol/inference-protocol-part.ts';
import { type RunningServer, startServer } from '../server.ts';
import { createLog } from '../telemetry/log.ts';

const { key, line } = createAccessKey('ann');
const lines: string[] = [];
let server: RunningServer;
let isOpen = false;
let asked: AnswerOptions | undefined;
let refusal: FuzzError | undefined;
let held: Promise<void> | undefined;
const lastAsked = (): AnswerOptions | undefined => asked;

beforeAll(async () => {
  const { source, config, parameters } = await memoryBundle();
  const engine = await openEngine({ source, sessions: referenceSessions(config, parameters) });
  server = await startServer({
    models: {
      ...engine,
      ranker: { ...engine.ranker, refusalOf: () => refusal },
      // Gives what the engine gives, whichever the mode is.
      answer: (async (query: Query, options?: AnswerOptions) => {
        asked = options;
        await held;
        return engine.answer(query, options);
      }) as Engine['answer'],
      answerAll: ((queries: readonly Query[], options?: AnswerOptions) => {
        asked = options;
        return engine.answerAll(queries, options);
      }) as Engine['answerAll'],
      describeEntity(id, options) {
        asked = options;
        return engine.describeEntity(id, options);
      },
    },
    api: { mount: [inferenceProtocolPart()], cors: ['http://127.0.0.1:1'] },
    port: 0,
    closeNotice: 0,
    keys: () => (isOpen ? undefined : parseAccessKeys(line, 'keys.txt')),
    log: createLog({ write: (text) => lines.push(text) }),
  });
});
afterAll(() => server.close());

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** Asks with a length, as the door takes it, or in chunks, as the application does. */
function ask(path: string, body: string, headers: Record<string, string>, chunked: boolean): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = chunked ? {} : { 'content-length': `${Buffer.byteLength(body)}` };
    const sent = request(
      `${server.url}${path}`,
      // Connections of their own: one that was refused rests.
      { method: 'POST', agent: false, headers: { ...length, ...headers } },
      (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('end', () => {
          // Of the moment and of the connection.
          const {
            date: _,
            connection: __,
            'keep-alive': ___,
            'content-length': ____,
            ...others
          } = response.headers;
          const text = Buffer.concat(pieces).toString();
          resolve({ status: response.statusCode, headers: others, body: JSON.parse(text) });
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

const json = { 'content-type': 'application/json', authorization: `Bearer ${key}`, 'x-request-id': 'mine' };
const query = JSON.stringify({ query: 'project(r0, e1)', k: 3, timeoutMs: 5000 });

describe('the caller whose turns a request shares', () => {
  const types = { 'content-type': 'application/x-ndjson' };
  const tensor = { name: 'query', datatype: 'BYTES', shape: [1], data: ['project(r0, e1)'] };
  const requests: readonly [what: string, path: string, body: string | undefined, headers: object][] = [
    ['a query', '/v1/query', query, {}],
    ['a batch', '/v1/query/batch', query, types],
    ['relations that lead on', '/v1/query/relations', '{"query":"project(r0, e1)"}', {}],
    ['the page of an entity', '/v1/entities/1', undefined, {}],
    ['the inference protocol', '/v2/models/fuzzqe/infer', JSON.stringify({ inputs: [tensor] }), {}],
  ];
  const send = async (path: string, body: string | undefined, headers: object): Promise<unknown> => {
    asked = undefined;
    const init = body === undefined ? {} : { method: 'POST', body };
    const response = await fetch(`${server.url}${path}`, { ...init, headers: { ...json, ...headers } });
    await response.text();
    expect(response.status).toBe(200);
    return lastAsked()?.caller;
  };

  it.each(requests)('is the name of its key, else its connection: %s', async (_, path, body, headers) => {
    expect(await send(path, body, headers)).toBe('ann');
    isOpen = true;
    const caller = await send(path, body, headers);
    isOpen = false;
    // Not the socket, which whoever remembers a caller would keep.
    expect(typeof caller).toBe('symbol');
  });
});

describe('a query with a length', () => {
  const cases: readonly [what: string, status: number, path: string, body: string, headers: object][] = [
    ['an answer', 200, '/v1/query?x=1', query, {}],
    ['another mode', 200, '/v1/query', JSON.stringify({ query: 'e1', mode: 'embedding' }), {}],
    ['a model that there is not', 404, '/v1/models/nobody/query', query, {}],
    ['no key', 401, '/v1/query', query, { authorization: '' }],
    ['another type', 415, '/v1/query', query, { 'content-type': 'text/plain' }],
    ['no JSON', 400, '/v1/query', '{', {}],
    ['a name that there is not', 422, '/v1/query', '{"query":"nobody"}', {}],
    ['a time limit that is none', 422, '/v1/query', query, { 'x-timeout-ms': 'soon' }],
  ];
  it.each(cases)('is answered as one without: %s', async (_, status, path, body, headers) => {
    const sent = { ...json, ...headers };
    const [whole, chunked] = [await ask(path, body, sent, false), await ask(path, body, sent, true)];
    expect(whole.status).toBe(status);
    expect(whole).toEqual(chunked);
    expect(whole.headers['x-request-id']).toBe('mine');
  });

  it("is the application's where a page of another origin sends it, which is told that it may read the answer", async () => {
    const origin = 'http://127.0.0.1:1';
    const { status, headers } = await ask('/v1/query', query, { ...json, origin }, false);
    expect([status, headers['access-control-allow-origin']]).toEqual([200, origin]);
    const own = await ask('/v1/query', query, json, false);
    expect(own.headers['access-control-allow-origin']).toBe(undefined);
  });

  it('is logged as one without, by its route and its subject', async () => {
    lines.length = 0;
    await ask('/v1/query', query, json, false);
    await ask('/v1/query', query, json, true);
    await expect.poll(() => lines.length).toBe(2);
    const [whole, chunked] = lines.map((text) => {
      const { time: _, ms: __, ...others } = JSON.parse(text);
      return others;
    });
    expect(whole).toEqual(chunked);
    expect(whole).toMatchObject({ route: '/v1/query', status: 200, client: 'ann', structure: '1p' });
  });

  it('has the deadline that it asks for', async () => {
    const before = performance.now();
    await ask('/v1/query', query, json, false);
    expect(asked?.deadline).toBeGreaterThan(before);
    expect(asked?.deadline).toBeLessThan(performance.now() + 5000);
    expect(asked?.signal?.aborted).toBe(false);
  });

  it('is refused before it is read where too much waits, with when to come back', async () => {
    refusal = new FuzzError('overloaded', 'a query would wait for 80 ms', { retryAfter: 7 });
    for (const chunked of [false, true]) {
      const { status, headers, body } = await ask('/v1/query', 'no JSON', json, chunked);
      expect({ status, after: headers['retry-after'] }).toEqual({ status: 429, after: '7' });
      expect(body).toMatchObject({ code: 'overloaded', detail: 'a query would wait for 80 ms' });
    }
    refusal = undefined;
  });

  it.each([
    ['with a length', '/v1/query', false],
    ['in chunks', '/v1/query', true],
    ['a batch', '/v1/query/batch', true],
  ])(
    'is asked for where its client waits for that, and not where its headers say no: %s',
    async (_, path, chunked) => {
      const type = { 'content-type': path.endsWith('batch') ? 'application/x-ndjson' : 'application/json' };
      for (const [headers, expected] of [
        [type, ['continue', 200]],
        [{ 'content-type': 'text/plain' }, [415]],
        [{ ...type, authorization: '' }, [401]],
      ] as const) {
        const told: unknown[] = [];
        const length = chunked ? {} : { 'content-length': `${query.length}` };
        await new Promise<void>((resolve, reject) => {
          const sent = request(`${server.url}${path}`, {
            method: 'POST',
            agent: false,
            headers: { ...json, ...length, expect: '100-continue', ...headers },
          });
          sent.on('continue', () => {
            told.push('continue');
            sent.end(query);
          });
          sent.on('response', (response) => {
            told.push(response.statusCode);
            response.resume();
            response.on('end', resolve);
          });
          sent.on('error', reject);
          sent.flushHeaders();
        });
        expect(told).toEqual(expected);
      }
    },
  );

  it('shares the turns of its key, and is given up with its client', async () => {
    let letGo = (): void => {};
    held = new Promise((resolve) => {
      letGo = resolve;
    });
    asked = undefined;
    const leaving = request(`${server.url}/v1/query`, {
      method: 'POST',
      headers: { ...json, 'content-length': `${query.length}` },
    });
    leaving.on('error', () => {});
    leaving.end(query);
    await expect.poll(() => lastAsked()?.caller).toBe('ann');
    expect(lastAsked()?.signal?.aborted).toBe(false);
    leaving.destroy();
    await expect.poll(() => lastAsked()?.signal?.aborted).toBe(true);
    letGo();
    held = undefined;
  });
});
