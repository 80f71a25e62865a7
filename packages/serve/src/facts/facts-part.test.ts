import { type App, createApp } from '@fuzzqe/api';
import { documentation } from '@fuzzqe/api/documentation';
import { createKnowledgeGraph, FuzzError } from '@fuzzqe/core';
import { type Engine, openGraphEngine } from '@fuzzqe/engine';
import { defaultWeights } from '@fuzzqe/evidence';
import { createMemoryFacts, type FactBatch, type FactStore } from '@fuzzqe/facts';
import { createVocabulary } from '@fuzzqe/names';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { factsPart } from './facts-part.ts';
import { createLiveFacts, type LiveFacts } from './live-facts.ts';

const named = (...keys: readonly string[]) => keys.map((key) => ({ key, label: `the ${key}` }));
const vocabulary = createVocabulary({
  entities: named('Ann', 'Bob', 'Carl'),
  relations: named('spouse', 'parent'),
});
const json = { 'content-type': 'application/json' };
const lines = { 'content-type': 'application/x-ndjson' };
const fact = (head: string, relation: string, tail: string) => ({ head, relation, tail });

let engine: Engine;
let live: LiveFacts;
let store: FactStore;
let app: App;
/** What callers need to write. */
let refusal: string | undefined;
let isAway: boolean;
const faults: unknown[] = [];

beforeEach(async () => {
  engine = await openGraphEngine({
    vocabulary,
    facts: createKnowledgeGraph({ entityCount: 3, relationCount: 4, triples: Int32Array.of(0, 0, 1) }),
    evidence: { weights: defaultWeights(4), rules: { relationCount: 4, rules: [] } },
  });
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
  faults.length = 0;
  app = createApp(engine, {
    batchLimit: 20_000,
    batchLines: 20,
    mount: [documentation(), factsPart({ facts: live, refusalOf: () => refusal })],
    onError: (error) => faults.push(error),
  });
});
afterEach(async () => {
  await Promise.all([live.close(), engine.close()]);
});

it('POST creates what the graph lacks where it is asked to, and nothing otherwise', async () => {
  const post = (address: string): Promise<Response> =>
    Promise.resolve(
      app.request(address, {
        method: 'POST',
        headers: json,
        body: JSON.stringify(fact('Dora', 'likes', 'Ann')),
      }),
    );
  expect((await post('/v1/facts')).status).toBe(422);
  expect((await post('/v1/facts?create=perhaps')).status).toBe(400);
  expect(await (await post('/v1/facts?create=true')).json()).toMatchObject({ added: 1, created: 2 });
  const answered = await app.request('/v1/query', {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ query: 'project(likes, Dora)' }),
  });
  expect(await answered.json()).toMatchObject({
    answers: [{ key: 'Ann', state: 'recorded' }],
    warnings: [expect.stringMatching(/^new-relation: "likes" came after the training: .* 1 fact, /)],
  });
  for (const search of ['', '?q=likes']) {
    const { results } = await (await app.request(`/v1/relations${search}`)).json();
    expect(results.at(-1)).toEqual({ id: 4, key: 'likes', label: 'likes', trained: false });
    for (const other of results.slice(0, -1)) expect(other).not.toHaveProperty('trained');
  }
});

const post = (body: unknown, headers: Record<string, string> = json, method = 'POST') =>
  app.request('/v1/facts', {
    method,
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const said = async (response: Response | Promise<Response>) => {
  const { status, ...rest } = await response;
  const body = await (await response).json();
  return { ...rest, status, body };
};
const factsNow = (): number[] => [...engine.facts.forwardTriples()];
const spouseOf = async (name: string): Promise<string[]> => {
  const asked = await app.request('/v1/query', {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ query: `project(spouse, ${name})` }),
  });
  const { answers } = (await asked.json()) as { answers: { key: string; state: string }[] };
  return answers.filter(({ state }) => state === 'recorded').map(({ key }) => key);
};

describe('POST /v1/facts', () => {
  it('adds and removes facts, of which the next query knows', async () => {
    const remove = [fact('Ann', 'spouse', 'Bob')];
    const add = [
      { ...fact('the Carl', 'spouse^-1', '#1'), source: 'register', date: '2026-11', confidence: 0.8 },
    ];
    const response = await post({ add, remove });
    expect(response.status).toBe(200);
    expect(response.headers.get('fuzzqe-epoch')).toBe('1');
    expect(response.headers.get('fuzzqe-store')).toBe(store.id);
    expect(await response.json()).toEqual({ epoch: 1, added: 1, removed: 1, unchanged: 0 });
    expect([await spouseOf('Bob'), await spouseOf('Ann')]).toEqual([['Carl'], []]);
    expect(await said(post(fact('Bob', 'spouse', 'Carl')))).toMatchObject({
      body: { epoch: 2, unchanged: 1 },
    });
    // A fact of both lists is there afterwards.
    const both = { add: [fact('Ann', 'parent', 'Bob')], remove: [fact('Ann', 'parent', 'Bob')] };
    expect((await said(post(both))).body).toMatchObject({ added: 1, removed: 0 });
  });

  it('rejects links, recorded or not, and takes rejections back', async () => {
    const both = [fact('Ann', 'spouse', 'Bob'), { ...fact('Carl', 'spouse', 'Ann'), source: 'ann' }];
    expect((await said(post({ reject: both }))).body).toEqual({
      ...{ epoch: 1, added: 0, removed: 0, rejected: 2, unchanged: 0 },
    });
    expect(factsNow()).not.toContain([0, 0, 1]);
    const find = async (head: string, tail: string) =>
      (await said(app.request(`/v1/facts?head=${head}&relation=spouse&tail=${tail}`))).body;
    const { provenance, ...found } = await find('Carl', 'Ann');
    expect(found).toEqual({ ...fact('Carl', 'spouse', 'Ann'), recorded: false, rejected: true });
    expect(provenance).toMatchObject({ source: 'ann' });
    expect((await said(post({ reject: both }))).body).toMatchObject({ unchanged: 2 });
    expect((await said(post({ add: [both[0]], remove: [both[1]] }))).body).toMatchObject({
      ...{ added: 1, removed: 1, unchanged: 0 },
    });
    expect(await find('Carl', 'Ann')).toEqual({ ...fact('Carl', 'spouse', 'Ann'), recorded: false });
    // A rejection has a source, as a fact has.
    await post({ reject: [both[1]] });
    expect((await said(app.request('/v1/facts?source=ann', { method: 'DELETE' }))).body).toMatchObject({
      removed: 1,
    });
  });

  it('takes a change a line, the last of a fact wins', async () => {
    const body = [
      { does: 'add', ...fact('Bob', 'spouse', 'Carl') },
      fact('Bob', 'parent', 'Carl'),
      { does: 'remove', ...fact('Bob', 'spouse', 'Carl') },
    ];
    const text = `${body.map((each) => JSON.stringify(each)).join('\r\n\n')}`;
    expect((await said(post(text, lines))).body).toEqual({ epoch: 1, added: 1, removed: 0, unchanged: 1 });
    expect(factsNow()).toEqual([0, 0, 1, 1, 2, 2]);
  });

  const good = JSON.stringify(fact('Bob', 'spouse', 'Carl'));
  it.each([
    ['a line that is no JSON', `${good}\n{"head":`, lines, 400, 'line 2'],
    [
      'a line with a key twice',
      `{"head":"Ann","head":"Bob","relation":"spouse","tail":"Bob"}`,
      lines,
      400,
      'line 1',
    ],
    ['a line that is no fact', `${good}\n\n[1]`, lines, 400, 'line 3'],
    [
      'a fact without a tail',
      { add: [JSON.parse(good), { head: 'Ann', relation: 'spouse' }] },
      json,
      400,
      '$.add[1]',
    ],
    ['a field that facts do not have', { ...JSON.parse(good), at: 'now' }, json, 400, '$'],
    ['a confidence above 1', { remove: [{ ...JSON.parse(good), confidence: 2 }] }, json, 400, '$.remove[0]'],
    ['no date', { add: [{ ...JSON.parse(good), from: 'soon' }] }, json, 400, '$.add[0]'],
    [
      'an end before its beginning',
      `${good}\n${JSON.stringify({ ...JSON.parse(good), from: '2001', until: '2000' })}`,
      lines,
      400,
      'line 2',
    ],
    ['an empty name', { add: [fact('', 'spouse', 'Bob')] }, json, 400, '$.add[0]'],
    [
      'an entity that the graph lacks',
      `${good}\n${JSON.stringify(fact('Bob', 'spouse', 'Zoe'))}`,
      lines,
      422,
      'line 2',
    ],
    ['a relation that the graph lacks', { add: [fact('Bob', 'likes', 'Ann')] }, json, 422, '$.add[0]'],
    ['an id that the graph lacks', fact('#3', 'spouse', 'Ann'), json, 422, '$'],
  ] as const)('refuses all if there is %s, and says where', async (_, body, headers, status, path) => {
    expect(await said(post(body, headers))).toMatchObject({ status, body: { path } });
    expect([store.epoch, factsNow()]).toEqual([0, [0, 0, 1]]);
  });

  it.each([
    ['nothing', {}, json, 400, 'usage'],
    ['an array', [], json, 400, 'usage'],
    ['no lines', '\n\n', lines, 400, 'usage'],
    ['another media type', good, { 'content-type': 'text/csv' }, 415, 'media-type'],
    ['a page that cannot ask first', good, { 'content-type': 'text/plain' }, 415, 'media-type'],
    ['too many changes', { add: new Array(21).fill(JSON.parse(good)) }, json, 413, 'too-large'],
    ['too many lines', `${good}\n`.repeat(21), lines, 413, 'too-large'],
    ['too many bytes', `${good}${' '.repeat(20_000)}`, json, 413, 'too-large'],
    ['the id of another store', good, { ...json, 'fuzzqe-store': 'another' }, 409, 'conflict'],
    ['a long idempotency key', good, { ...json, 'idempotency-key': 'k'.repeat(129) }, 400, 'usage'],
  ] as const)('refuses %s', async (_, body, headers, status, code) => {
    expect(await said(post(body, headers))).toMatchObject({ status, body: { code } });
    expect([store.epoch, factsNow(), faults]).toEqual([0, [0, 0, 1], []]);
  });

  it('names the first ten bad lines, then a count', async () => {
    const { body } = await said(post(`${good}\n${'{}\n'.repeat(12)}`, lines));
    expect(body.detail).toContain('12 bad changes');
    expect(body.detail).toContain('line 11: ');
    expect(body.detail).not.toContain('line 12: ');
    expect(body.detail).toContain('and 2 more');
  });

  it('does once what comes twice with an idempotency key', async () => {
    const headers = { ...json, 'idempotency-key': 'one' };
    expect((await said(post(good, headers))).body).toEqual({ epoch: 1, added: 1, removed: 0, unchanged: 0 });
    expect((await said(post(good, headers))).body).toEqual({
      epoch: 1,
      added: 0,
      removed: 0,
      unchanged: 1,
      repeated: true,
    });
    expect((await said(post(good, { ...json, 'idempotency-key': 'two' }))).body).toMatchObject({ epoch: 2 });
  });

  it('is refused without the right, with what the caller needs, before the body is read', async () => {
    refusal = 'Ask with another key.';
    expect(await said(post('{', json))).toMatchObject({
      status: 403,
      body: { code: 'forbidden', hint: 'Ask with another key.' },
    });
    const removed = await post(fact('Ann', 'spouse', 'Bob'), json, 'DELETE');
    expect([removed.status, store.epoch]).toEqual([403, 0]);
    expect((await app.request('/v1/facts')).status).toBe(200);
  });

  it('is answered 503 while the store is away, without its words, and queries are answered', async () => {
    isAway = true;
    const response = await post(good);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '10']);
    const text = await response.text();
    expect(text).toContain('The store of facts takes no changes');
    expect(text).not.toContain('/mnt');
    expect(await spouseOf('Ann')).toEqual(['Bob']);
    isAway = false;
    expect((await post(good)).status).toBe(200);
  });
});

describe('DELETE /v1/facts', () => {
  it('removes the fact of its body or of its address', async () => {
    await post(fact('Bob', 'parent', 'Carl'));
    expect((await said(post(fact('Ann', 'spouse', 'Bob'), json, 'DELETE'))).body).toMatchObject({
      removed: 1,
    });
    const address = '/v1/facts?head=the%20Carl&relation=parent%5E-1&tail=Bob';
    expect((await said(app.request(address, { method: 'DELETE' }))).body).toMatchObject({ removed: 1 });
    expect(factsNow()).toEqual([]);
    expect((await said(app.request(address, { method: 'DELETE' }))).body).toMatchObject({ unchanged: 1 });
  });

  it('removes a fact a line, all or none', async () => {
    await post({ add: [fact('Bob', 'parent', 'Carl'), fact('Bob', 'spouse', 'Carl')] });
    const remove = (...facts: readonly object[]) =>
      said(post(facts.map((each) => JSON.stringify(each)).join('\n'), lines, 'DELETE'));
    const known = [fact('Ann', 'spouse', 'Bob'), fact('Bob', 'parent', 'Carl')];
    expect(await remove(...known, fact('Bob', 'parent', 'Zoe'))).toMatchObject({
      ...{ status: 422, body: { path: 'line 3' } },
    });
    expect(await remove({ does: 'add', ...known[0] })).toMatchObject({
      status: 400,
      body: { path: 'line 1' },
    });
    expect((await remove()).status).toBe(400);
    expect(factsNow()).toHaveLength(9);
    expect((await remove(...known, known[0]!)).body).toEqual({
      epoch: 2,
      added: 0,
      removed: 2,
      unchanged: 0,
    });
    expect(factsNow()).toEqual([1, 0, 2]);
  });

  it('removes the facts that a source added last, as one batch', async () => {
    const atlas = { source: 'atlas' };
    await post({
      add: [
        { ...fact('Ann', 'parent', 'Bob'), ...atlas },
        { ...fact('Bob', 'parent', 'Carl'), ...atlas },
      ],
    });
    await post({ ...fact('Carl', 'parent', 'Ann'), ...atlas });
    await post({ ...fact('Bob', 'parent', 'Carl'), source: 'register' });
    const remove = () => said(app.request('/v1/facts?source=atlas', { method: 'DELETE' }));
    expect((await remove()).body).toEqual({ epoch: 4, added: 0, removed: 2, unchanged: 0 });
    expect(factsNow()).toEqual([0, 0, 1, 1, 2, 2]);
    // A source that has no facts, or no longer, removes none, and nothing is written.
    expect(await remove()).toMatchObject({ status: 200, body: { epoch: 4, removed: 0 } });
    expect(store.epoch).toBe(4);
    refusal = 'Ask with a key that may write.';
    expect((await remove()).status).toBe(403);
  });

  it.each([
    '?source=',
    '?source=a&source=b',
    '?source=a&x=1',
    '?head=Ann',
    '?head=Ann&head=Bob&relation=spouse&tail=Bob',
    '?head=Ann&relation=spouse&tail=Bob&x=1',
  ])('refuses the address %s', async (query) => {
    const response = await app.request(`/v1/facts${query}`, { method: 'DELETE' });
    expect([response.status, store.epoch]).toEqual([400, 0]);
  });

  it('refuses a request without a fact, and adds nothing', async () => {
    expect((await app.request('/v1/facts', { method: 'DELETE' })).status).toBe(415);
    expect((await post({ does: 'add', ...fact('Ann', 'spouse', 'Carl') }, json, 'DELETE')).status).toBe(400);
    expect(store.epoch).toBe(0);
  });
});

describe('the provenance of a fact', () => {
  const unsure = { ...fact('Ann', 'parent', 'Bob'), source: 'atlas', date: '2026-11', confidence: 0.75 };
  const provenance = { source: 'atlas', date: '2026-11', confidence: 0.75, at: expect.any(String) };
  const ask = async (path: string, body?: unknown) =>
    (
      await said(
        app.request(
          path,
          body === undefined ? {} : { method: 'POST', headers: json, body: JSON.stringify(body) },
        ),
      )
    ).body;

  it('is given with the fact, and with what follows from it', async () => {
    await post(unsure);
    const address = '/v1/facts?head=the%20Bob&relation=parent%5E-1&tail=Ann';
    const keys = fact('Ann', 'parent', 'Bob');
    expect(await ask(address)).toEqual({ ...keys, recorded: true, provenance });
    const { answers } = await ask('/v1/query', { query: 'project(parent^-1, Bob)', explain: true });
    expect(answers[0]).toMatchObject({ key: 'Ann', state: 'recorded', degree: 0.75 });
    expect(answers[0].links).toMatchObject([{ recorded: true, degree: 0.75, provenance }]);
    const { relations } = await ask('/v1/entities/Ann');
    const parents = relations.results.find(
      ({ relation }: { relation: { key: string; inverse: boolean } }) =>
        relation.key === 'parent' && !relation.inverse,
    );
    expect(parents.recorded.results).toMatchObject([{ key: 'Bob', provenance }]);
    // Facts of the bundle come without one.
    const bundled = await ask('/v1/facts?head=Ann&relation=spouse&tail=Bob');
    expect(bundled).toEqual({ ...fact('Ann', 'spouse', 'Bob'), recorded: true });
    await post({ remove: [keys] });
    expect(await ask(address)).toEqual({ ...keys, recorded: false });
  });

  it('is there after a restart, and refused by halves', async () => {
    await post(unsure);
    const restarted = createLiveFacts(store);
    await restarted.follow(engine);
    expect((await restarted.find({ ...unsure, does: 'add', place: '$' })).provenance).toEqual(provenance);
    for (const query of ['?head=Ann', '?head=Ann&relation=parent&tail=Bob&since=0', '?head=Ann&head=Bob'])
      expect((await app.request(`/v1/facts${query}`)).status).toBe(400);
    expect((await app.request('/v1/facts?head=Ann&relation=parent&tail=Nobody')).status).toBe(422);
  });
});

describe('GET /v1/facts', () => {
  const batches = async (query: string): Promise<Partial<FactBatch>[]> => {
    const response = await app.request(`/v1/facts${query}`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
    expect(response.headers.get('fuzzqe-epoch')).toBe('2');
    expect(response.headers.get('fuzzqe-store')).toBe(store.id);
    const text = await response.text();
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  };

  it('gives the batches after an epoch, without idempotency keys', async () => {
    await post(
      { ...fact('Carl', 'spouse', 'Ann'), source: 'register' },
      { ...json, 'idempotency-key': 'mine' },
    );
    await post({ remove: [fact('the Carl', 'spouse', 'the Ann')] });
    const added = { does: 'add', head: 'Carl', relation: 'spouse', tail: 'Ann', source: 'register' };
    const removed = { does: 'remove', head: 'Carl', relation: 'spouse', tail: 'Ann' };
    const at = expect.any(String);
    expect(await batches('')).toEqual([
      { epoch: 1, at, changes: [added] },
      { epoch: 2, at, changes: [removed] },
    ]);
    expect(await batches('?since=1')).toEqual([{ epoch: 2, at, changes: [removed] }]);
    expect(await batches('?since=2')).toEqual([]);
  });

  it.each([
    ['?since=1', 422],
    ['?since=-1', 422],
    ['?since=x', 422],
    ['?since=0&since=0', 400],
    ['?until=4', 400],
  ])('refuses %s', async (query, status) => {
    expect((await app.request(`/v1/facts${query}`)).status).toBe(status);
  });

  it('refuses the epoch of another store', async () => {
    const headers = { 'fuzzqe-store': 'another' };
    expect((await app.request('/v1/facts?since=0', { headers })).status).toBe(409);
    expect((await app.request('/v1/facts?since=0', { headers: { 'fuzzqe-store': store.id } })).status).toBe(
      200,
    );
  });
});

it('is described, and is answered as described', async () => {
  const document = await (await app.request('/openapi.json')).json();
  expect((await new Validator().validate(structuredClone(document))).errors).toBeUndefined();
  const { paths, components } = document;
  expect(Object.keys(paths['/v1/facts']).sort()).toEqual(['delete', 'get', 'post']);
  const ajv = new Ajv2020({ strict: false });
  const fits = (name: string, value: unknown): boolean =>
    ajv.validate({ $ref: `#/components/schemas/${name}`, components }, value);
  const answer = await (await post({ add: [fact('Ann', 'parent', 'Bob')] })).json();
  expect(fits('FactsWritten', answer)).toBe(true);
  expect(fits('FactsWritten', { ...answer, epoch: 0 })).toBe(false);
  expect(fits('FactBatch', JSON.parse(await (await app.request('/v1/facts')).text()))).toBe(true);
  const { status, body } = await said(post({ add: [fact('Ann', 'parent', 'Zoe')] }));
  expect([status, fits('Problem', body)]).toEqual([422, true]);
  expect(fits('Problem', await (await post('{}', { ...json, 'fuzzqe-store': 'x' })).json())).toBe(true);
});
