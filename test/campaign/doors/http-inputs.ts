import fc, { type Arbitrary } from 'fast-check';
import { mutated, utf8 } from '../mutations.ts';
import { httpEndpoints } from './http-endpoints.ts';
import { patternInput } from './http-patterns.ts';
import { maybe, number } from './maybe.ts';

/** A request as its door takes it. */
export interface HttpInput {
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
/** Texts that are queries of the notation, with names that are none among them. */
export const text: Arbitrary<string> = fc.letrec<{ query: string }>((tie) => ({
  query: fc.oneof(
    { maxDepth: 5 },
    { weight: 8, arbitrary: name },
    {
      weight: 8,
      arbitrary: fc.tuple(relation, tie('query')).map(([r, of]) => `project(${r}, ${of})`),
    },
    {
      weight: 8,
      arbitrary: fc
        .tuple(fc.constantFrom('and', 'or'), fc.array(tie('query'), { minLength: 1, maxLength: 3 }))
        .map(([op, of]) => `${op}(${of.join(', ')})`),
    },
    { weight: 8, arbitrary: tie('query').map((of) => `not(${of})`) },
    // Wide ones: every answer tells how far it answers each operand.
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom('and', 'or'), tie('query'), fc.integer({ min: 4, max: 300 }))
        .map(([op, of, times]) =>
          `${op}(${Array.from({ length: times }, () => of).join(', ')})`.slice(0, 20_000),
        ),
    },
  ),
})).query;
/** KGReasoning's nested tuples, and what is nearly one. */
const tuples: Arbitrary<unknown> = fc.letrec<{ query: unknown }>((tie) => ({
  query: fc.oneof(
    { maxDepth: 4 },
    fc.tuple(
      fc.constantFrom<unknown>(3, 39, 40, -1, 0.5, 'e'),
      fc.array(fc.constantFrom(0, 1, 5, 6, -2, -1), { maxLength: 3 }),
    ),
    fc.tuple(tie('query'), tie('query')),
    fc.tuple(tie('query'), tie('query'), fc.constant([-1])),
    fc.tuple(fc.tuple(tie('query'), tie('query')), fc.array(fc.constantFrom(0, 5, -2), { maxLength: 2 })),
  ),
})).query;
/** Queries as JSON, and what is nearly one. */
export const tree: Arbitrary<unknown> = fc.letrec<{ query: unknown }>((tie) => ({
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
const body = fc
  .record({
    query: fc.oneof(text, tree, tuples, fc.jsonValue({ maxDepth: 2 })),
    id: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: number }),
    k: maybe(number),
    timeoutMs: maybe(number),
    explain: maybe(fc.constantFrom<unknown>(true, false, 1)),
    filter: maybe(
      fc.oneof(
        fc.record({ ids: fc.array(number, { maxLength: 4 }) }),
        fc.record({ query: text }),
        fc.jsonValue({ maxDepth: 1 }),
      ),
    ),
    mode: maybe(fc.constantFrom<unknown>('sets', 'embedding', 'both', 1)),
    exclude: maybe(fc.constantFrom<unknown>('known', 'none', 'all')),
    minDegree: maybe(number),
    suggestions: maybe(fc.constantFrom<unknown>(true, false, 'yes')),
  })
  .chain((value) =>
    fc.constantFrom(0, 0, 0, 1, 2).map((repeated) => {
      // What is not there yet in this version is an unknown key, which may be refused.
      const json = JSON.stringify(value);
      if (repeated === 0) return json;
      // A key that stands twice, plainly or escaped.
      return `{${repeated === 1 ? '"query"' : '"\\u0071uery"'}:"e2",${json.slice(1)}`;
    }),
  );
/** What counts relations takes, and nothing else. */
const relationBodies = utf8(
  fc
    .record({ query: fc.oneof(text, tree), k: maybe(number), timeoutMs: maybe(number) })
    .map((value) => JSON.stringify(value)),
);
const bodies = fc.oneof(
  { weight: 10, arbitrary: utf8(body) },
  {
    weight: 10,
    arbitrary: mutated(utf8(body), [
      ...['{', '}', '[', '"', '\\u0000', '"__proto__":1,', '[[[[[[[[', 'null', ','],
      Uint8Array.of(255),
    ]),
  },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 1, max: 100_000 })
      .map((depth) => Buffer.from(`{"query":${'{"not":'.repeat(depth)}`)),
  },
);
/** Lines of JSON, with some that are none, and ends of lines of all kinds. */
const lines: Arbitrary<Uint8Array> = fc
  .tuple(
    fc.array(fc.oneof({ weight: 3, arbitrary: bodies }, utf8(body)), { maxLength: 12 }),
    fc.constantFrom('\n', '\n', '\r\n', '\n\n', '\r', '\u2028'),
  )
  .map(([all, end]) => Buffer.concat(all.flatMap((each) => [each.subarray(0, 3000), Buffer.from(end)])));
const batches = fc.oneof(
  { weight: 12, arbitrary: lines },
  // Many short ones, whose problems must not grow beyond measure.
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom('{}', '[', '0', '"', '{"query":"x"}', '{"query":"e1","k":1}'),
        fc.integer({ min: 1, max: 3000 }),
      )
      .map(([line, times]) => Buffer.from(`${line}\n`.repeat(times))),
  },
);
/** Queries of SPARQL in their three ways to be sent. */
const sparql = fc
  .tuple(
    fc.constantFrom('SELECT', 'SELECT DISTINCT', 'ASK', 'CONSTRUCT', 'select'),
    fc.constantFrom('?x', '*', '?x ?degree', '(COUNT(?x) AS ?n)'),
    fc.array(
      fc.constantFrom(
        '<e1> <r0> ?x .',
        '?x <r1> <e39> .',
        '<e1> <r0>/<r1> ?x .',
        '?x ^<r2> <e3> .',
        'FILTER NOT EXISTS { <e2> <r0> ?x }',
        'MINUS { ?x <r0> <e4> }',
        '{ <e1> <r0> ?x } UNION { <e5> <r1> ?x }',
        'VALUES ?x { <e1> <e2> }',
        '<e1> <r0>* ?x .',
        'FILTER(?x > 3)',
        'OPTIONAL { ?x <r0> ?y }',
      ),
      { maxLength: 5 },
    ),
    fc.constantFrom(
      '',
      'LIMIT 3',
      'LIMIT 100000',
      'ORDER BY DESC(?degree) LIMIT 5',
      'OFFSET -1',
      'LIMIT 1e9',
    ),
  )
  .map(([form, variables, patterns, end]) => `${form} ${variables} WHERE { ${patterns.join(' ')} } ${end}`);
const header = fc.tuple(
  fc.constantFrom(
    'accept',
    'accept-encoding',
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
    fc.constantFrom(
      '/v1/entities',
      '/v1/relations',
      '/v1/models/tiny/entities',
      '/v1/models/other/relations',
      '/v1/entities/e1',
      '/v1/entities/3',
      '/v1/structures',
    ),
    fc.array(parameter, { maxLength: 3 }),
    fc.boolean(),
  )
  .map(
    ([path, all, plain]) =>
      `${path}?${all.map(([key, value]) => (plain ? `${key}=${value}` : new URLSearchParams([[key, value]]))).join('&')}`,
  );
const path = fc.oneof(
  names,
  fc.constantFrom(...httpEndpoints.map((each) => each.path)),
  fc.constantFrom(
    '/v1/../etc/passwd',
    '/v1/query/',
    '//',
    '/v1/%2e%2e/%2e%2e/etc/passwd',
    '/%00',
    '/favicon.ico',
    '/v1/models/%00/query',
    '/v1/models/__proto__/query/batch',
    '/v2/models/fuzzqe-2in',
    '/v2/models/%00',
    '/playground/%2e%2e%2fpackage.json',
    '/playground/__proto__',
    '/playground/bundles/tiny/%2e%2e%2f%2e%2e%2fetc%2fpasswd',
    '/playground/bundles/other/manifest.json',
    '/playground/bundles/__proto__/%00',
  ),
  fc.string({ maxLength: 20 }).map((rest) => `/${rest}`),
);
/** What the server says of itself, and whatever else needs no body. */
const documents = fc
  .tuple(
    fc.constantFrom(
      ...httpEndpoints.filter(({ method }) => method === 'GET').map((each) => each.path),
      '/v2/models/x-9p',
    ),
    fc.constantFrom('GET', 'GET', 'HEAD', 'POST'),
    fc.array(header, { maxLength: 2 }),
  )
  .map(([where, method, headers]): HttpInput => ({ method, path: where, headers, body: null }));
/** Requests by structure: to every endpoint, and to paths that are none. */
export const httpInput: Arbitrary<HttpInput> = fc.oneof(
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
    arbitrary: fc.tuple(batches, fc.constantFrom('/v1/query/batch', '/v1/models/tiny/query/batch')).map(
      ([bytes, where]): HttpInput => ({
        method: 'POST',
        path: where,
        headers: [['content-type', 'application/x-ndjson']],
        body: Buffer.from(bytes).toString('latin1'),
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        mutated(utf8(sparql), ['?x', '{', '}', '<e1>', '<r0>', '.', 'UNION', '"', '\\u0000', '#']),
        fc.constantFrom(0, 1, 2),
        header,
        fc.constantFrom('/sparql', '/sparql', '/v1/models/tiny/sparql'),
      )
      .map(([bytes, way, more, where]): HttpInput => {
        const query = Buffer.from(bytes).toString('latin1');
        if (way === 0)
          return {
            method: 'GET',
            path: `${where}?${new URLSearchParams({ query })}`,
            headers: [more],
            body: null,
          };
        const type = way === 1 ? 'application/sparql-query' : 'application/x-www-form-urlencoded';
        return {
          method: 'POST',
          path: where,
          headers: [['content-type', type]],
          body: way === 1 ? query : `${new URLSearchParams({ query })}`,
        };
      }),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('/v1/query/relations', '/v1/models/tiny/query/relations'), relationBodies)
      .map(
        ([where, bytes]): HttpInput => ({
          method: 'POST',
          path: where,
          headers: [['content-type', 'application/json']],
          body: Buffer.from(bytes).toString('latin1'),
        }),
      ),
  },
  { weight: 1, arbitrary: patternInput },
  { weight: 1, arbitrary: documents },
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
