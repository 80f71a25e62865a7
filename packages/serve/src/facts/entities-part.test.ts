import { type App, createApp } from '@fuzzqe/api';
import { documentation } from '@fuzzqe/api/documentation';
import { createKnowledgeGraph, FuzzError } from '@fuzzqe/core';
import { type Engine, openGraphEngine } from '@fuzzqe/engine';
import { defaultWeights } from '@fuzzqe/evidence';
import { createMemoryFacts, type FactStore } from '@fuzzqe/facts';
import { createVocabulary, readAliases, readAttributes } from '@fuzzqe/names';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { entitiesPart } from './entities-part.ts';
import { factsPart } from './facts-part.ts';
import { createLiveFacts, type LiveFacts } from './live-facts.ts';

const json = { 'content-type': 'application/json' };
const lines = { 'content-type': 'application/x-ndjson' };
const bytes = (text: string) => () => new TextEncoder().encode(text);
const columns = [
  ['height', 'number', '', 'm'],
  ['born', 'date', '', ''],
  ['born', 'text', '', ''],
  ['alive', 'boolean', '', ''],
  ['motto', 'text', 'de', ''],
  ['motto', 'text', 'en', ''],
].map(([key, type, language, unit], i) => `${i}\t${key}\t${key}\t${type}\t${language}\t${unit}\n`);

const openEngine = (): Promise<Engine> =>
  openGraphEngine({
    vocabulary: createVocabulary({
      entities: ['Ann', 'Bob', 'Carl'].map((key) => ({ key, label: `the ${key}`, description: 'somebody' })),
      relations: [{ key: 'spouse', label: 'spouse' }],
      aliases: readAliases(bytes('0\tlabel\tde\tAnna\n'), 3),
    }),
    attributes: readAttributes(columns.join(''), bytes('0\t0\t1.7\n0\t3\ttrue\n'), {
      ...{ entityCount: 3, columnsPath: 'columns', valuesPath: 'values' },
    }),
    facts: createKnowledgeGraph({ entityCount: 3, relationCount: 2, triples: Int32Array.of(0, 0, 1) }),
    evidence: { weights: defaultWeights(2), rules: { relationCount: 2, rules: [] } },
  });

let engine: Engine;
let live: LiveFacts;
let store: FactStore;
let app: App;
let refusal: string | undefined;
let isAway: boolean;

const appOf = (of: Engine, facts: LiveFacts): App => {
  const options = { facts, refusalOf: () => refusal };
  const mount = [documentation(), factsPart(options), entitiesPart(options)];
  return createApp(of, { batchLimit: 200_000, batchLines: 20, mount });
};

beforeEach(async () => {
  engine = await openEngine();
  const memory = createMemoryFacts();
  store = {
    ...memory,
    get epoch() {
      return memory.epoch;
    },
    append: (batch) =>
      isAway ? Promise.reject(new FuzzError('storage', '/srv/facts is full')) : memory.append(batch),
  };
  live = createLiveFacts(store);
  await live.follow(engine);
  refusal = undefined;
  isAway = false;
  app = appOf(engine, live);
});
afterEach(async () => {
  await Promise.all([live.close(), engine.close()]);
});

const patch = async (body: unknown, headers: Record<string, string> = json, to = app) => {
  const response = await to.request('/v1/entities', {
    method: 'PATCH',
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
};
const get = async (path: string, from = app) => (await from.request(path)).json();
const found = async (text: string, from = app): Promise<string[]> =>
  (await get(`/v1/entities?q=${encodeURIComponent(text)}`, from)).results.map(
    ({ key, label }: Record<string, string>) => `${key}: ${label}`,
  );
const ask = async (query: string, from = app) =>
  (
    await from.request('/v1/query', { method: 'POST', headers: json, body: JSON.stringify({ query }) })
  ).json();
const valuesOf = async (name: string, from = app): Promise<string[]> =>
  ((await get(`/v1/entities/${name}`, from)).attributes?.results ?? []).map(
    ({ key, type, language, value }: Record<string, string>) =>
      [key, type, language, value].filter((each) => each !== '').join(' '),
  );
const seen = async (from: App): Promise<unknown> => [
  await found('ann', from),
  await found('Robert', from),
  await found('the Bob', from),
  (await ask('project(spouse, Annie)', from)).answers?.[0],
  await get('/v1/entities/Ann', from),
];

describe('PATCH /v1/entities', () => {
  it('changes names at once for searches, queries, answers and pages, and after a restart or compaction', async () => {
    const written = await patch([
      { entity: 'the Bob', label: 'Robert' },
      { entity: '#0', aliases: ['Annie', { text: 'Anne', language: 'fr', kind: 'label' }] },
      { entity: 2, label: 'Ännchen', attributes: { height: 1.9 } },
    ]);
    expect(written).toMatchObject({ status: 200, body: { epoch: 1, changed: 3 } });
    expect(written.body).not.toHaveProperty('repeated');
    expect(written.headers.get('fuzzqe-epoch')).toBe('1');
    expect(written.headers.get('fuzzqe-store')).toBe(store.id);
    expect(await found('Robert')).toEqual(['Bob: Robert']);
    expect(await found('annie')).toEqual(['Ann: the Ann']);
    expect(await found('annchen')).toEqual(['Carl: Ännchen']);
    expect(await found('the Bob')).not.toContain('Bob: the Bob');
    expect((await ask('project(spouse, Annie)')).answers[0]).toMatchObject({ key: 'Bob', label: 'Robert' });
    expect(await ask('project(spouse^-1, Robert)')).toMatchObject({ answers: [{ key: 'Ann' }] });
    expect(await ask('project(spouse, "the Bob")')).toMatchObject({ status: 422, code: 'vocabulary' });
    const { names, description, label } = await get('/v1/entities/Ann');
    expect([label, description]).toEqual(['the Ann', 'somebody']);
    expect(names.results).toEqual([
      { kind: 'alias', language: '', text: 'Annie' },
      { kind: 'label', language: 'fr', text: 'Anne' },
    ]);
    const before = await seen(app);
    for (const compacts of [false, true]) {
      if (compacts) await store.compact();
      const restarted = await openEngine();
      const again = createLiveFacts(store);
      await again.follow(restarted);
      expect(await seen(appOf(restarted, again))).toEqual(before);
      await restarted.close();
    }
  });

  it('keeps what is not given, and takes back what is null', async () => {
    await patch({ entity: 'Ann', label: 'A', aliases: [], attributes: { height: [], alive: false } });
    expect(await patch({ entity: 'A', label: null })).toMatchObject({ body: { epoch: 2, changed: 1 } });
    expect(await get('/v1/entities/the%20Ann')).not.toHaveProperty('names');
    expect(await valuesOf('Ann')).toEqual(['alive boolean false']);
    await patch({ entity: 'Ann', aliases: null, attributes: { height: null } });
    expect((await get('/v1/entities/Anna')).names.total).toBe(1);
    expect(await valuesOf('Ann')).toEqual(['height number 1.7', 'alive boolean false']);
  });

  it('gives values the columns of their attributes, and new attributes columns of their own', async () => {
    const attributes = {
      height: '12345678901234567890.5',
      born: ['1979-05-06', 'in spring'],
      motto: [
        { value: 'Los', language: 'de' },
        { value: 'Vas-y', language: 'fr' },
      ],
      siblings: [2, 3],
      nick: 'A.',
    };
    expect((await patch({ entity: 'Ann', attributes })).status).toBe(200);
    expect(await valuesOf('Ann')).toEqual([
      'height number 12345678901234567890.5',
      'born date 1979-05-06',
      'born text in spring',
      'alive boolean true',
      'motto text de Los',
      'motto text fr Vas-y',
      'siblings number 2',
      'siblings number 3',
      'nick text A.',
    ]);
    // An attribute keeps the type that it got.
    expect(await patch({ entity: 'Bob', attributes: { siblings: 'many' } })).toMatchObject({
      status: 400,
      body: { path: '$', detail: 'entity: attribute "siblings": expected a number, got "many"' },
    });
  });

  it('takes a change a line', async () => {
    const text = '{"entity": "Ann", "label": "A"}\r\n\n{"entity": "Bob", "label": "B"}';
    expect((await patch(text, lines)).body).toEqual({ epoch: 1, changed: 2 });
    expect([await found('A'), await found('B')].flat()).toContain('Bob: B');
  });

  it('lets entities share a label, which is refused where it is used', async () => {
    expect((await patch({ entity: 'Bob', label: 'the Ann' })).status).toBe(200);
    expect(await ask('project(spouse, "the Ann")')).toMatchObject({ status: 422 });
    expect(await patch({ entity: 'the Ann', label: 'A' })).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('2 share'), hint: expect.stringContaining('"Ann", "Bob"') },
    });
  });

  const good = { entity: 'Ann', label: 'A' };
  it.each([
    ['an entity that the graph lacks', [good, { entity: 'the Bop', label: 'B' }], 422, '$[1]', 'the Bob'],
    ['an id that the graph lacks', { entity: 3, label: 'B' }, 422, '$', 'got 3'],
    ['an entity twice', [good, { entity: '#0', aliases: [] }], 400, '$[1]', 'at $[0] as well'],
    ['an empty label', { entity: 'Ann', label: '' }, 400, '$', 'label: expected a text'],
    ['a label with NUL', { entity: 'Ann', label: 'a\0' }, 400, '$', 'without NUL'],
    ['an empty alias', { entity: 'Ann', aliases: ['A', ''] }, 400, '$', 'aliases[1]'],
    ['aliases that are no list', { entity: 'Ann', aliases: 'A' }, 400, '$', 'aliases: expected an array'],
    [
      'a kind that aliases have not',
      { entity: 'Ann', aliases: [{ text: 'A', kind: 'x' }] },
      400,
      '$',
      'kind',
    ],
    ['a text for a number', { entity: 'Ann', attributes: { height: 'tall' } }, 400, '$', 'expected a number'],
    [
      'a number for a boolean',
      { entity: 'Ann', attributes: { alive: 1 } },
      400,
      '$',
      'expected true or false',
    ],
    ['a number for a date or a text', { entity: 'Ann', attributes: { born: 7 } }, 400, '$', 'a date as'],
    ['a text in no language of several', { entity: 'Ann', attributes: { motto: 'x' } }, 400, '$', 'language'],
    [
      'a type that does not fit',
      { entity: 'Ann', attributes: { n: { value: 'x', type: 'date' } } },
      400,
      '$',
      'date',
    ],
    ['an attribute without a name', { entity: 'Ann', attributes: { '': 1 } }, 400, '$', 'with a name'],
    [
      'attributes that are null',
      { entity: 'Ann', attributes: null },
      400,
      '$',
      'attributes: expected an object',
    ],
    ['nothing to change', { entity: 'Ann' }, 400, '$', 'label, aliases or attributes'],
    ['an unknown field', { ...good, lable: 'A' }, 400, '$', 'label'],
    ['no entity', { label: 'A' }, 400, '$', 'entity'],
    ['no changes', [], 400, undefined, 'at least one change'],
    ['a text', '"Ann"', 400, '$', 'expected an object'],
    ['too many changes', new Array(21).fill(good), 413, undefined, 'at most 20'],
  ] as const)('refuses all if there is %s, and says where', async (_, body, status, path, words) => {
    const refused = await patch(body);
    expect([refused.status, refused.body.path]).toEqual([status, path]);
    expect(`${refused.body.detail} ${refused.body.hint}`).toContain(words);
    expect([store.epoch, engine.vocabulary.entity(0).label]).toEqual([0, 'the Ann']);
  });

  it('refuses a label that is too long, too many bytes, another media type and another store', async () => {
    const long = await patch({ entity: 'Ann', label: 'x'.repeat(70_000) });
    expect(long.body.detail).toContain('label: expected at most 65536 characters, got 70000');
    const many = await patch(`${JSON.stringify(good)}${' '.repeat(200_000)}`);
    const type = await patch(good, { 'content-type': 'text/plain' });
    const other = await patch(good, { ...json, 'fuzzqe-store': 'another' });
    const statuses = [long, many, type, other].map(({ status }) => status);
    expect([...statuses, store.epoch]).toEqual([400, 413, 415, 409, 0]);
  });

  it('does once what comes twice with an idempotency key', async () => {
    const headers = { ...json, 'idempotency-key': 'one' };
    expect((await patch(good, headers)).body).toEqual({ epoch: 1, changed: 1 });
    expect((await patch({ entity: 'Ann', label: null }, headers)).body).toEqual({
      ...{ epoch: 1, changed: 0, repeated: true },
    });
    expect(engine.vocabulary.entity(0).label).toBe('A');
  });

  it('is refused without the right, and while the store is away', async () => {
    refusal = 'Ask with another key.';
    expect(await patch('{')).toMatchObject({ status: 403, body: { hint: 'Ask with another key.' } });
    refusal = undefined;
    isAway = true;
    expect((await patch(good)).status).toBe(503);
    expect(engine.vocabulary.entity(0).label).toBe('the Ann');
    isAway = false;
    expect((await patch(good)).status).toBe(200);
  });

  it('is refused by a server that follows another, with the address there', async () => {
    const follows = { writer: 'http://writer:8080', state: 'following' as const, heardSeconds: 0 };
    const follower = createLiveFacts({ ...createMemoryFacts(), follows });
    await follower.follow(engine);
    const refused = await patch(good, json, appOf(engine, follower));
    expect([refused.status, refused.headers.get('location')]).toEqual([
      421,
      'http://writer:8080/v1/entities',
    ]);
  });

  it('follows names in the log, and refuses those of an entity that the graph lacks', async () => {
    const at = '2026-11-28T12:00:00Z';
    await store.append({ at, names: [{ key: 'Zoe', label: 'Z' }], changes: [] });
    const late = createLiveFacts(store);
    await expect(late.follow(await openEngine())).rejects.toMatchObject({
      code: 'data',
      message: expect.stringContaining(
        'facts of epoch 1: entity: expected a key or label of the graph, got "Zoe"',
      ),
    });
  });

  it('is described with what is there already, and is answered and listed as described', async () => {
    const document = await get('/openapi.json');
    expect((await new Validator().validate(structuredClone(document))).errors).toBeUndefined();
    const { paths, components } = document;
    expect(Object.keys(paths['/v1/entities']).sort()).toEqual(['get', 'patch']);
    const ajv = new Ajv2020({ strict: false });
    const fits = (name: string, value: unknown): boolean =>
      ajv.validate({ $ref: `#/components/schemas/${name}`, components }, value);
    const change = {
      ...good,
      aliases: ['a', { text: 'b' }],
      attributes: { height: [1, { value: 2 }], alive: null },
    };
    expect([fits('EntityChange', change), fits('EntityChange', { ...change, at: 1 })]).toEqual([true, false]);
    const { body } = await patch(change);
    expect([fits('NamesWritten', body), fits('NamesWritten', { ...body, epoch: 0 })]).toEqual([true, false]);
    const text = await (await app.request('/v1/facts?since=0')).text();
    const batch = JSON.parse(text);
    expect(batch).toMatchObject({ epoch: 1, names: [{ key: 'Ann', label: 'A' }], changes: [] });
    expect([fits('FactBatch', batch), fits('FactBatch', { ...batch, names: [{}] })]).toEqual([true, false]);
    const refused = await patch({ ...good, entity: 'Zoe' });
    expect([refused.status, fits('Problem', refused.body)]).toEqual([422, true]);
  });
});
