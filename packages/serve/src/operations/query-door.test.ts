import { request } from 'node:http';
import type { AnswerOptions, Engine } from '@fuzzqe/engine';
import { openEngine } from '@fuzzqe/engine';
import { memoryBundle, referenceSessions } from '@fuzzqe/engine/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer } from '../server.ts';
import { createAccessKey, parseAccessKeys } from './access-keys.ts';
import { createLog } from './log.ts';

const { key, line } = createAccessKey('ann');
const lines: string[] = [];
let server: RunningServer;
let asked: AnswerOptions | undefined;

beforeAll(async () => {
  const { source, config, parameters } = await memoryBundle();
  const engine = await openEngine({ source, sessions: referenceSessions(config, parameters) });
  server = await startServer({
    models: {
      ...engine,
      // Gives what the engine gives, whichever the mode is.
      answer: ((query, options) => {
        asked = options;
        return engine.answer(query, options);
      }) as Engine['answer'],
    },
    port: 0,
    closeNotice: 0,
    keys: () => parseAccessKeys(line, 'keys.txt'),
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
      { method: 'POST', headers: { ...length, ...headers } },
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
    ['a page of elsewhere', 200, '/v1/query', query, { origin: 'http://127.0.0.1:1' }],
  ];
  it.each(cases)('is answered as one without: %s', async (_, status, path, body, headers) => {
    const sent = { ...json, ...headers };
    const [whole, chunked] = [await ask(path, body, sent, false), await ask(path, body, sent, true)];
    expect(whole.status).toBe(status);
    expect(whole).toEqual(chunked);
    expect(whole.headers['x-request-id']).toBe('mine');
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
});
