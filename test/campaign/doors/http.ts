import assert from 'node:assert/strict';
import { FuzzError } from '@fuzzqe/core';
import { createApp } from '@fuzzqe/engine/api';
import fc, { type Arbitrary } from 'fast-check';
import type { Door } from '../door.ts';
import { mutated, utf8 } from '../mutations.ts';
import { smallEngine } from './bundles.ts';

/** A request as its door takes it. */
interface HttpInput {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  /** As latin1, a character a byte; null where there is none. */
  readonly body: string | null;
}

const name = fc.constantFrom(
  'e1',
  '"Entity 1"',
  'e39',
  '#1',
  '#40',
  'e',
  '',
  '__proto__',
  '"\\u0000"',
  '<e1>',
);
const relation = fc.constantFrom('r0', 'r1^-1', '"relation 2"', '#5', '#6', 'r', 'constructor');
const text: Arbitrary<string> = fc.letrec<{ query: string }>((tie) => ({
  query: fc.oneof(
    { maxDepth: 5 },
    name,
    fc.tuple(relation, tie('query')).map(([r, of]) => `project(${r}, ${of})`),
    fc
      .tuple(fc.constantFrom('and', 'or'), fc.array(tie('query'), { minLength: 1, maxLength: 3 }))
      .map(([op, of]) => `${op}(${of.join(', ')})`),
    tie('query').map((of) => `not(${of})`),
  ),
})).query;
const tree: Arbitrary<unknown> = fc.letrec<{ query: unknown }>((tie) => ({
  query: fc.oneof(
    { maxDepth: 5 },
    fc.record({
      entity: fc.oneof(fc.constantFrom<unknown>('e1', 3, 40, -1, 1e300, null), fc.jsonValue({ maxDepth: 1 })),
    }),
    fc.record({ project: fc.constantFrom<unknown>('r0', 'r1^-1', 5, 6, {}), from: tie('query') }),
    fc.record({ and: fc.array(tie('query'), { maxLength: 3 }) }),
    fc.record({ or: fc.array(tie('query'), { maxLength: 3 }) }),
    fc.record({ not: tie('query') }),
    text,
  ),
})).query;
const number = fc.constantFrom<unknown>(1, 3, 40, 41, 0, -1, 1e9, 2 ** 53, 0.5, 1, '1', null, true);
const maybe = <T>(value: Arbitrary<T>): Arbitrary<T | undefined> =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
const body = fc
  .record({
    query: fc.oneof(text, tree, fc.jsonValue({ maxDepth: 2 })),
    k: maybe(number),
    mode: maybe(fc.constantFrom<unknown>('sets', 'embedding', 'both', 1)),
    exclude: maybe(fc.constantFrom<unknown>('known', 'none', 'all')),
    minDegree: maybe(number),
    probability: maybe(fc.constantFrom<unknown>(true, false, 'yes')),
  })
  .map((value) => JSON.stringify(value));
const bodies = fc.oneof(
  utf8(body),
  mutated(utf8(body), [
    '{',
    '}',
    '[',
    '"',
    '\\u0000',
    '"__proto__":1,',
    '[[[[[[[[',
    'null',
    ',',
    Uint8Array.of(255),
  ]),
  fc.integer({ min: 1, max: 100_000 }).map((depth) => Buffer.from(`{"query":${'{"not":'.repeat(depth)}`)),
);
const header = fc.tuple(
  fc.constantFrom(
    'accept',
    'content-encoding',
    'content-length',
    'x-request-id',
    'origin',
    'range',
    'if-none-match',
    'x-forwarded-for',
    'transfer-encoding',
    'cookie',
  ),
  fc.oneof(
    fc.constantFrom(
      'text/html',
      '*/*',
      'gzip',
      '-1',
      '99999999999',
      'a'.repeat(5000),
      '../../etc/passwd',
      '<script>',
      'null',
    ),
    fc.string({ maxLength: 20 }),
  ),
);
const parameter = fc.tuple(
  fc.constantFrom('q', 'limit', 'q', 'limit', 'offset', '__proto__', ''),
  fc.oneof(
    fc.constantFrom(
      'e',
      'entity',
      '1',
      '10',
      '1000',
      '1001',
      '0',
      '-1',
      '1e3',
      '%',
      '%00',
      '%ff',
      '\u202e',
      '*'.repeat(3000),
      '<e1>',
      'x:',
    ),
    fc.string({ maxLength: 12 }),
  ),
);
const names = fc
  .tuple(
    fc.constantFrom('/v1/entities', '/v1/relations'),
    fc.array(parameter, { maxLength: 3 }),
    fc.boolean(),
  )
  .map(
    ([path, all, plain]) =>
      `${path}?${all.map(([key, value]) => (plain ? `${key}=${value}` : new URLSearchParams([[key, value]]))).join('&')}`,
  );
const path = fc.oneof(
  names,
  fc.constantFrom(
    '/',
    '/healthz',
    '/v1/query',
    '/v1/../etc/passwd',
    '/v1/query/',
    '//',
    '/v1/%2e%2e/%2e%2e/etc/passwd',
    '/%00',
    '/favicon.ico',
  ),
  fc.webPath(),
);
const input: Arbitrary<HttpInput> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.tuple(bodies, fc.array(header, { maxLength: 1 })).map(
      ([bytes, more]): HttpInput => ({
        method: 'POST',
        path: '/v1/query',
        headers: [['content-type', 'application/json'], ...more],
        body: Buffer.from(bytes).toString('latin1'),
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: names.map((each): HttpInput => ({ method: 'GET', path: each, headers: [], body: null })),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      method: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'QUERY'),
      path,
      headers: fc.array(
        fc.oneof(
          header,
          fc.tuple(
            fc.constant('content-type'),
            fc.constantFrom(
              'application/json',
              'application/json; charset=utf-16',
              'text/plain',
              'multipart/form-data',
              '',
            ),
          ),
        ),
        { maxLength: 3 },
      ),
      body: fc.oneof(
        fc.constant(null),
        bodies.map((bytes) => Buffer.from(bytes).toString('latin1')),
      ),
    }),
  },
);

/** The largest answer: 40 entities with their operands are a tenth of it. */
const longestAnswer = 1 << 18;

/** What an answer must not hold: where the server's files lie, and frames of a stack. */
const leaks = [process.cwd(), 'node_modules', 'file://', '/tmp/', '.ts:', '.js:', '.mjs:', '\n    at '];

/** The request, or undefined where the platform makes none of it: then no server gets it either. */
function requestOf({ method, path, headers, body }: HttpInput): Request | undefined {
  try {
    const hasBody = body !== null && !['GET', 'HEAD'].includes(method);
    return new Request(new URL(path, 'http://door'), {
      method,
      headers: headers.map(([key, value]): [string, string] => [key, value]),
      ...(hasBody ? { body: Buffer.from(body, 'latin1') } : {}),
    });
  } catch {
    return undefined;
  }
}

/** The HTTP API, without a socket. */
export const httpDoors: readonly Door[] = [
  {
    name: 'http',
    description: 'requests to every endpoint of the HTTP API',
    ending: '.json',
    inputs: input.map((each) => Buffer.from(JSON.stringify(each))),
    refusals: ['usage'],
    seconds: 5,
    async open() {
      const { engine, close } = await smallEngine();
      const defects: unknown[] = [];
      const app = createApp(engine, { onError: (error) => defects.push(error) });
      return {
        async attempt(bytes) {
          const given = JSON.parse(Buffer.from(bytes).toString()) as HttpInput;
          const request = requestOf(given);
          if (request === undefined) return;
          const response = await app.request(request);
          const answer = await response.text();
          const [defect] = defects.splice(0);
          if (defect !== undefined)
            throw defect instanceof FuzzError ? new Error(`status ${response.status}: ${defect}`) : defect;
          assert.ok(response.status < 500, `status ${response.status}: ${answer.slice(0, 500)}`);
          assert.ok(answer.length <= longestAnswer, `an answer of ${answer.length} characters`);
          assert.ok(response.headers.get('x-request-id'), 'an answer without its id');
          // What the client sent may come back in an error.
          const sent = JSON.stringify(given);
          const leak = leaks.find((each) => answer.includes(each) && !sent.includes(each));
          assert.equal(leak, undefined, `the answer holds ${leak}: ${answer.slice(0, 500)}`);
          if (response.status < 400) {
            if (given.method === 'POST')
              assert.ok(Array.isArray((JSON.parse(answer) as { answers: unknown }).answers));
            return;
          }
          assert.equal(response.headers.get('content-type'), 'application/problem+json');
          if (given.method === 'HEAD') throw new FuzzError('usage', `status ${response.status}`);
          const problem = JSON.parse(answer) as {
            readonly status: number;
            readonly code: string;
            readonly requestId: string;
          };
          assert.equal(problem.status, response.status);
          assert.equal(problem.requestId, response.headers.get('x-request-id'));
          throw new FuzzError('usage', `${problem.status} ${problem.code}`);
        },
        close,
      };
    },
  },
];
