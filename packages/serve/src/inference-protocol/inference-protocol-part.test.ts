import { createRequire } from 'node:module';
import { type ApiEnv, type ApiPart, type App, createApp, createModelRegistry } from '@fuzzqe/api';
import { documentation } from '@fuzzqe/api/documentation';
import { instantiate, parseQueryText, structureNames, structures } from '@fuzzqe/core/query';
import { type Engine, openEngine } from '@fuzzqe/engine';
import { memoryBundle, referenceSessions } from '@fuzzqe/engine/testing';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Hono } from 'hono';
import { beforeAll, describe, expect, it } from 'vitest';
import { inferenceProtocolPart } from '../index.ts';

const packageJson = createRequire(import.meta.url)('../../package.json') as { version: string }; // npm requires it

let engine: Engine;
let app: App;
const failures: unknown[] = [];

beforeAll(async () => {
  const { source, config, parameters } = await memoryBundle();
  engine = await openEngine({ source, sessions: referenceSessions(config, parameters) });
  app = appOf(engine);
});

const appOf = (of: Parameters<typeof createApp>[0], options: Parameters<typeof createApp>[1] = {}): App =>
  createApp(of, { ...options, mount: [inferenceProtocolPart()], onError: (error) => failures.push(error) });

type Json = Record<string, unknown>;

async function send(path: string, body?: unknown, on = app): Promise<{ status: number; body: Json }> {
  const init =
    body === undefined
      ? {}
      : { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) };
  const response = await on.request(path, init);
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  return { status: response.status, body: (await response.json()) as Json };
}

const infer = (model: string, body: unknown, on?: App): ReturnType<typeof send> =>
  send(`/v2/models/${model}/infer`, body, on);

const query = (...texts: readonly string[]): Json => ({
  name: 'query',
  datatype: 'BYTES',
  shape: [texts.length],
  data: texts,
});

const outputsOf = ({ body }: { body: Json }): Json[] => body['outputs'] as Json[];

describe('what the server says of itself', () => {
  it('is what the specification asks for, without extensions', async () => {
    expect(await send('/v2')).toEqual({
      status: 200,
      body: { name: 'fuzzqe', version: packageJson.version, extensions: [] },
    });
    expect(await send('/v2/health/live')).toEqual({ status: 200, body: { live: true } });
    expect(await send('/v2/health/ready')).toEqual({ status: 200, body: { ready: true } });
    const opening = appOf(createModelRegistry(['later']));
    expect(await send('/v2/health/live', undefined, opening)).toMatchObject({ status: 200 });
    expect(await send('/v2/health/ready', undefined, opening)).toEqual({
      status: 503,
      body: { ready: false },
    });
    expect((await send('/v2/models/fuzzqe', undefined, opening)).status).toBe(503);
  });

  it.each(['/v2/models/fuzzqe-2in', '/v2/models/fuzzqe-2in/versions/1'])('at %s', async (path) => {
    expect(await send(path)).toEqual({
      status: 200,
      body: {
        name: 'fuzzqe-2in',
        versions: ['1'],
        platform: 'fuzzqe_bundle',
        inputs: [
          { name: 'anchors', datatype: 'INT64', shape: [-1, 2] },
          { name: 'relations', datatype: 'INT64', shape: [-1, 2] },
        ],
        outputs: [
          { name: 'ids', datatype: 'INT64', shape: [-1, -1] },
          { name: 'degrees', datatype: 'FP32', shape: [-1, -1] },
          { name: 'scores', datatype: 'FP32', shape: [-1, -1] },
          { name: 'keys', datatype: 'BYTES', shape: [-1, -1] },
          { name: 'labels', datatype: 'BYTES', shape: [-1, -1] },
        ],
      },
    });
    expect(await send(`${path}/ready`)).toEqual({ status: 200, body: { name: 'fuzzqe-2in', ready: true } });
  });

  it('has the model of every structure and that of texts', async () => {
    for (const name of structureNames) {
      const { status, body } = await send(`/v2/models/fuzzqe-${name}`);
      const { anchors, relations } = structures[name];
      expect({ status, inputs: body['inputs'] }).toMatchObject({
        status: 200,
        inputs: [{ shape: [-1, anchors] }, { shape: [-1, relations] }],
      });
    }
    expect(await send('/v2/models/fuzzqe')).toMatchObject({
      body: { inputs: [{ name: 'query', datatype: 'BYTES', shape: [-1] }] },
    });
  });
});

describe('inference', () => {
  it('takes the name of the model in the body as well, as the client of KServe sends it, and no other', async () => {
    const inputs = [
      { name: 'anchors', shape: [1, 1], datatype: 'INT64', data: [1] },
      { name: 'relations', shape: [1, 1], datatype: 'INT64', data: [0] },
    ];
    const body = { id: 'a', model_name: 'fuzzqe-1p', inputs, parameters: { k: 3 } };
    const { model_name: _, ...plain } = body;
    const answered = await infer('fuzzqe-1p', body);
    expect(answered.status).toBe(200);
    expect(answered).toEqual(await infer('fuzzqe-1p', plain));
    expect(await infer('fuzzqe-1p', { ...body, model_name: 'fuzzqe-2p' })).toMatchObject({
      status: 400,
      body: {
        error: expect.stringContaining(
          'model_name: expected "fuzzqe-1p", as in the address, got "fuzzqe-2p"',
        ),
      },
    });
  });

  it.each(structureNames)('answers queries of %s as the engine does', async (name) => {
    const { template, anchors, relations } = structures[name];
    const rows = (width: number, start: number): number[][] =>
      [0, 1].map((row) => Array.from({ length: width }, (_, i) => (start + 3 * row + i) % 6));
    const [given, along] = [rows(anchors, 1), rows(relations, 0)];
    const result = await infer(`fuzzqe-${name}`, {
      id: 'mine',
      parameters: { k: 5, min_degree: 0 },
      inputs: [
        // Flat and nested data are the same.
        { name: 'anchors', datatype: 'INT64', shape: [2, anchors], data: given },
        { name: 'relations', datatype: 'INT64', shape: [2, relations], data: along.flat() },
      ],
    });
    const queries = given.map((row, i) => instantiate(template, row, along[i]!));
    const expected = await engine.answerAll(queries, { k: 5, minDegree: 0 });
    expect(result).toMatchObject({
      status: 200,
      body: { model_name: `fuzzqe-${name}`, model_version: '1', id: 'mine' },
    });
    const [ids, degrees, ...others] = outputsOf(result);
    expect(others).toEqual([]);
    expect(ids).toMatchObject({ name: 'ids', datatype: 'INT64', shape: [2, 5] });
    expect(degrees).toMatchObject({ name: 'degrees', datatype: 'FP32', shape: [2, 5] });
    const cells = <T>(cell: (answer: (typeof expected)[number]['answers'][number] | undefined) => T): T[] =>
      expected.flatMap(({ answers }) => [0, 1, 2, 3, 4].map((i) => cell(answers[i])));
    expect(ids!['data']).toEqual(cells((answer) => answer?.id ?? -1));
    expect(degrees!['data']).toEqual(cells((answer) => answer?.degree ?? 0));
  });

  it('answers texts and JSON in texts, with the options of the engine and the outputs in the order wanted', async () => {
    const text = 'project(r0, e1)';
    const tree = JSON.stringify({ project: 'r0', from: { entity: 'e1' } });
    const parsed = parseQueryText(text, engine.vocabulary);
    const asked = await infer('fuzzqe', {
      parameters: { mode: 'embedding', k: 3, exclude: 'known' },
      inputs: [query(text, tree)],
      outputs: [{ name: 'labels' }, { name: 'scores', parameters: { binary_data: false } }, { name: 'ids' }],
    });
    const { answers } = await engine.answer(parsed, { mode: 'embedding', k: 3, exclude: 'known' });
    const twice = <T>(cell: (answer: (typeof answers)[number]) => T): T[] =>
      [...answers, ...answers].map(cell);
    expect(outputsOf(asked)).toEqual([
      { name: 'labels', datatype: 'BYTES', shape: [2, 3], data: twice(({ label }) => label) },
      { name: 'scores', datatype: 'FP32', shape: [2, 3], data: twice(({ score }) => score) },
      { name: 'ids', datatype: 'INT64', shape: [2, 3], data: twice(({ id }) => id) },
    ]);
    expect(asked.body).not.toHaveProperty('id');
  });

  it('fills rows that have fewer answers', async () => {
    const texts = ['project(r0, e1)', 'e1'];
    const asked = await infer('fuzzqe', {
      parameters: { k: 40, min_degree: 1 },
      inputs: [query(...texts)],
      outputs: [{ name: 'ids' }, { name: 'degrees' }, { name: 'keys' }],
    });
    const [ids, degrees, keys] = outputsOf(asked);
    const known = engine.facts.tails(1, 0).length;
    const width = Math.max(known, 1);
    expect(ids!['shape']).toEqual([2, width]);
    const row = (output: Json | undefined): unknown[] => (output!['data'] as unknown[]).slice(width);
    const rest = <T>(value: T): T[] => new Array(width - 1).fill(value);
    expect([row(ids), row(degrees), row(keys)]).toEqual([
      [1, ...rest(-1)],
      [1, ...rest(0)],
      ['e1', ...rest('')],
    ]);
  });

  it('takes what clients of Triton send unasked, and any content type', async () => {
    const body = { parameters: { binary_data_output: true }, inputs: [query('e1')] };
    expect((await infer('fuzzqe', body)).status).toBe(200);
    const response = await app.request('/v2/models/fuzzqe/infer', {
      method: 'POST',
      headers: { 'inference-header-content-length': '20' },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(400);
    expect((await response.json()).error).toContain('binary_data=False');
  });

  it.each([
    [{ 'content-encoding': 'gzip' }, 415],
    [{ 'content-type': 'application/json; charset=utf-16' }, 415],
    [{ 'content-encoding': 'identity', 'content-type': 'application/octet-stream; charset=utf-8' }, 200],
  ])('takes UTF-8 that is not compressed: of %j says %d', async (headers, status) => {
    const response = await app.request('/v2/models/fuzzqe/infer', {
      method: 'POST',
      headers,
      body: JSON.stringify({ inputs: [query('e1')] }),
    });
    expect(response.status).toBe(status);
    if (status === 415)
      expect((await response.json()).error).toMatch(/^content-(?:encoding|type): expected /);
  });

  it('asks the bundle that is named, and its version alone', async () => {
    const models = createModelRegistry();
    const close = async (): Promise<void> => {};
    await models.put('first', { ...engine, close }, '3');
    await models.put('a b-2in', { ...engine, close }, '7');
    const two = appOf(models);
    const of = async (path: string): Promise<unknown> => {
      const { status, body } = await send(`/v2/models/${path}`, undefined, two);
      return status === 200 ? [body['name'], body['versions'], (body['inputs'] as Json[]).length] : status;
    };
    expect(await of('fuzzqe')).toEqual(['fuzzqe', ['3'], 1]);
    expect(await of('first-pni/versions/3')).toEqual(['first-pni', ['3'], 2]);
    // The name of a bundle comes before that of a structure.
    expect(await of('a%20b-2in')).toEqual(['a b-2in', ['7'], 1]);
    expect(await of('a%20b-2in-2in')).toEqual(['a b-2in-2in', ['7'], 2]);
    expect(await of('first/versions/2')).toBe(404);
    expect(await of('second')).toBe(404);
    expect(await of('first-4p')).toBe(404);
  });
});

describe('the description for /openapi.json', () => {
  const openApi = async (): Promise<Readonly<Record<'paths', Readonly<Record<string, object>>>>> => {
    const app = createApp(engine, { mount: [documentation(), inferenceProtocolPart()] });
    const { paths, ...rest } = await (await app.request('/openapi.json')).json();
    const own = Object.entries(paths).filter(([path]) => path.startsWith('/v2'));
    return { ...rest, paths: Object.fromEntries(own) };
  };

  it('has every route', async () => {
    const { routes } = inferenceProtocolPart();
    const described = Object.entries((await openApi()).paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    let served: readonly { readonly method: string; readonly path: string }[] = [];
    const looking: ApiPart = {
      path: '/looking',
      routes(context) {
        const found = routes(context).routes.filter(({ method }) => method !== 'ALL');
        served = found.map(({ method, path }) => ({ method, path: `/v2${path === '/' ? '' : path}` }));
        return new Hono<ApiEnv>();
      },
    };
    createApp(engine, { mount: [looking] });
    expect(described.sort()).toEqual(
      served.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`).sort(),
    );
    expect(described).toContain('POST /v2/models/{name}/versions/{version}/infer');
  });

  it('is OpenAPI 3.1, and its example is answered as described', async () => {
    const document = await openApi();
    const { paths } = document;
    const checked = await new Validator().validate(structuredClone(document));
    expect(checked).toMatchObject({ valid: true });
    const { post } = paths['/v2/models/{name}/infer'] as { post: Operation };
    const { schema, examples } = post.requestBody.content['application/json'];
    const ajv = new Ajv2020({ strict: false });
    expect(ajv.validate(schema, examples['query']!.value)).toBe(true);
    const { status, body } = await infer('fuzzqe', examples['query']!.value);
    expect(status).toBe(200);
    expect(ajv.validate(post.responses[200].content['application/json'].schema, body)).toBe(true);
    expect(ajv.validate(schema, { inputs: 3 })).toBe(false);
  });
});

interface Operation {
  readonly requestBody: {
    readonly content: {
      readonly 'application/json': {
        readonly schema: object;
        readonly examples: Record<string, { readonly value: unknown }>;
      };
    };
  };
  readonly responses: {
    readonly 200: { readonly content: { readonly 'application/json': { readonly schema: object } } };
  };
}

describe('refusals', () => {
  const anchors = { name: 'anchors', datatype: 'INT64', shape: [1, 1], data: [1] };
  const relations = { name: 'relations', datatype: 'INT64', shape: [1, 1], data: [0] };
  const oneHop = (a: Json, r: Json = {}): Json => ({
    inputs: [
      { ...anchors, ...a },
      { ...relations, ...r },
    ],
  });
  const text = (change: Json): Json => ({ inputs: [query('e1')], ...change });

  it.each<[string, unknown, number, string]>([
    ['fuzzqe', '{"inputs": ', 400, 'body: expected JSON'],
    ['fuzzqe', '{"inputs": [], "inputs": []}', 400, 'each key once'],
    ['fuzzqe', [], 400, 'expected an object'],
    ['fuzzqe', {}, 400, '$.inputs: expected an array'],
    ['fuzzqe', text({ extra: 1 }), 400, '$.extra: expected no such key'],
    ['fuzzqe', text({ id: 7 }), 400, '$.id: expected a string'],
    [
      'fuzzqe',
      text({ parameters: { mode: 'embedding', min_degree: 0.5 } }),
      400,
      '$.parameters.min_degree: min_degree: expected none in mode embedding, whose scores are no degrees. Ask in mode sets',
    ],
    ['fuzzqe', { inputs: [] }, 400, 'got no "query". GET /v2/models/NAME describes the inputs.'],
    [
      'fuzzqe',
      { inputs: [query('e1'), query('e1')] },
      400,
      '$.inputs[1].name: inputs of fuzzqe: expected query, got "query" twice',
    ],
    ['fuzzqe', { inputs: [anchors] }, 400, 'expected query, got "anchors"'],
    [
      'fuzzqe',
      { inputs: [{ ...query('e1'), datatype: 'INT64' }] },
      400,
      '$.inputs[0].datatype: input "query": expected BYTES, got "INT64"',
    ],
    ['fuzzqe', { inputs: [{ ...query('e1'), shape: [1, 1] }] }, 400, 'expected the shape [-1], got [1, 1]'],
    [
      'fuzzqe',
      { inputs: [{ ...query('e1'), shape: [2] }] },
      400,
      '$.inputs[0].data: input "query": expected 2 items for the shape [2], got 1',
    ],
    ['fuzzqe', { inputs: [{ ...query(), shape: [0] }] }, 400, 'expected 1 to 256 queries, got 0'],
    [
      'fuzzqe',
      { inputs: [query(...new Array<string>(257).fill('e1'))] },
      400,
      'expected 1 to 256 queries, got 257',
    ],
    [
      'fuzzqe',
      { inputs: [{ ...query('e1'), data: [3] }] },
      400,
      '$.inputs[0].data[0]: input "query": expected a string, got 3',
    ],
    [
      'fuzzqe',
      { inputs: [{ ...query('e1'), parameters: { binary_data_size: 6 } }] },
      400,
      'binary_data=False',
    ],
    ['fuzzqe', { inputs: [query('e1', 'project(r0')] }, 400, '$.inputs[0].data[1]'],
    [
      'fuzzqe',
      { inputs: [query('e1', 'project(r0, nobody)')] },
      422,
      '$.inputs[0].data[1], line 1, column 13',
    ],
    ['fuzzqe', text({ parameters: { mode: 'both' } }), 400, '$.parameters.mode'],
    ['fuzzqe', text({ parameters: { k: 0 } }), 400, '$.parameters.k: expected an integer >= 1, got 0'],
    ['fuzzqe', text({ parameters: { k: 41 } }), 422, 'k: expected an integer in [1, 40], got 41'],
    ['fuzzqe', text({ parameters: { K: 3 } }), 400, 'did you mean "k"'],
    ['fuzzqe', text({ parameters: { min_degree: 2 } }), 400, '$.parameters.min_degree'],
    [
      'fuzzqe',
      text({ parameters: { min_degree: 0.5, mode: 'embedding' } }),
      400,
      'expected none in mode embedding',
    ],
    [
      'fuzzqe',
      text({ outputs: [{ name: 'scores' }] }),
      400,
      'outputs of fuzzqe in mode sets: expected ids, degrees, keys, labels, got "scores"',
    ],
    ['fuzzqe', text({ outputs: [{ name: 'ids' }, { name: 'ids' }] }), 400, 'got "ids" twice'],
    [
      'fuzzqe-1p',
      oneHop({ data: [[1], [2]], shape: [2, 1] }),
      400,
      'as many rows of relations as of anchors, 2, got 1',
    ],
    ['fuzzqe-1p', oneHop({ data: [40] }), 422, 'expected ids of entity in [0, 40), got 40'],
    ['fuzzqe-1p', oneHop({ data: [-1] }), 422, 'in [0, 40), got -1'],
    ['fuzzqe-1p', oneHop({}, { data: [6] }), 422, 'expected ids of relation in [0, 6), got 6'],
    [
      'fuzzqe-1p',
      oneHop({ data: [1.5] }),
      400,
      '$.inputs[0].data[0]: input "anchors": expected an integer, got 1.5',
    ],
    ['fuzzqe-1p', oneHop({ data: ['1'] }), 400, 'expected an integer, got "1"'],
    [
      'fuzzqe-1p',
      oneHop({ data: [[1, 2]] }),
      400,
      '$.inputs[0].data[0]: input "anchors": expected 1 items for the shape [1, 1], got 2',
    ],
    [
      'fuzzqe-1p',
      oneHop({ shape: [2, 1], data: [[1], 2] }),
      400,
      '$.inputs[0].data[1]: input "anchors": expected an array, got 2',
    ],
    ['fuzzqe-1p', oneHop({ datatype: 'INT32' }), 400, 'expected INT64, got "INT32"'],
    ['fuzzqe-9p', oneHop({}), 404, 'no such model: "fuzzqe-9p"'],
    ['fuzzqe/versions/9', oneHop({}), 404, 'no such version: "9"'],
  ])('%s %j', async (model, body, status, said) => {
    const refused = await infer(model, body);
    expect(refused).toEqual({ status, body: { error: expect.stringContaining(said) } });
  });

  it('name the method that a path takes, and what is no path of the protocol', async () => {
    for (const [method, path, status, allow] of [
      ['GET', '/v2/models/fuzzqe/infer', 405, 'POST'],
      ['POST', '/v2/models/fuzzqe', 405, 'GET, HEAD'],
      ['POST', '/v2/health/live', 405, 'GET, HEAD'],
      ['GET', '/v2/repository/index', 404, null],
    ] as const) {
      const response = await app.request(path, { method });
      expect([path, response.status, response.headers.get('allow')]).toEqual([path, status, allow]);
      expect(await response.json()).toEqual({ error: expect.any(String) });
    }
  });

  it('are of what takes too long together, with the figure', async () => {
    const cost = engine.costOf(parseQueryText('project(r0, e1)', engine.vocabulary));
    const limited = appOf(engine, { costLimit: 2.5 * cost });
    const asked = (count: number): ReturnType<typeof send> =>
      infer('fuzzqe', { inputs: [query(...new Array<string>(count).fill('project(r0, e1)'))] }, limited);
    expect((await asked(2)).status).toBe(200);
    expect(await asked(3)).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('$.inputs') },
    });
  });

  it('are short for a body over the limit and for names without end', async () => {
    const small = appOf(engine, { bodyLimit: 100 });
    expect((await infer('fuzzqe', text({ id: 'x'.repeat(200) }), small)).status).toBe(413);
    const long = await infer('fuzzqe', { inputs: [{ ...query('e1'), name: 'x'.repeat(50_000) }] });
    expect((long.body['error'] as string).length).toBeLessThan(2000);
  });

  it('tell the log and not the client what the server failed by', async () => {
    const answerAll = (): Promise<never> => Promise.reject(new Error('secret'));
    failures.length = 0;
    const failed = await infer('fuzzqe', text({}), appOf({ ...engine, answerAll }));
    expect(failed.status).toBe(500);
    expect(JSON.stringify(failed.body)).not.toContain('secret');
    expect(failures).toEqual([expect.objectContaining({ message: 'secret' })]);
  });
});
