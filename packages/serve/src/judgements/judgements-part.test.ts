import { type App, createApp } from '@fuzzqe/api';
import { documentation } from '@fuzzqe/api/documentation';
import { createKnowledgeGraph } from '@fuzzqe/core';
import { type Engine, openGraphEngine } from '@fuzzqe/engine';
import { defaultWeights } from '@fuzzqe/evidence';
import { createMemoryFacts, type FactBatch, type FactStore } from '@fuzzqe/facts';
import { createVocabulary } from '@fuzzqe/names';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { factsPart } from '../facts/facts-part.ts';
import { createLiveFacts, type LiveFacts } from '../facts/live-facts.ts';
import { updatableFacts } from '../facts/updatable-facts.ts';
import { judgementsPart } from './judgements-part.ts';

const couples = 8;
/** The last key reads like the id of another entity. */
const people = [...Array.from({ length: 2 * couples }, (_, i) => `p${i}`), '#3'];
const named = (keys: readonly string[]) => keys.map((key) => ({ key, label: `the ${key}` }));
const vocabulary = createVocabulary({ entities: named(people), relations: named(['spouse', 'likes']) });
/** spouse(2k, 2k + 1) for all couples; the rule spouse(x, y) ← spouse(y, x) predicts the other half. */
const couple = (k: number) => [2 * k, 0, 2 * k + 1];
const facts = createKnowledgeGraph({
  entityCount: people.length,
  relationCount: 4,
  triples: Int32Array.from(Array.from({ length: couples }, (_, k) => couple(k)).flat()),
});
const mirror = { kind: 'path' as const, relation: 0, path: [1], hits: 7, predictions: 8 };
const json = { 'content-type': 'application/json' };
const fact = (head: string, relation: string, tail: string) => ({ head, relation, tail });

let engine: Engine;
let live: LiveFacts;
let store: FactStore;
let app: App;
let refusal: string | undefined;

beforeEach(async () => {
  engine = await openGraphEngine({
    vocabulary,
    facts,
    evidence: {
      weights: defaultWeights(4),
      rules: { relationCount: 4, rules: [mirror] },
    },
  });
  store = createMemoryFacts();
  live = createLiveFacts(store);
  await live.follow(engine);
  refusal = undefined;
  const options = { facts: updatableFacts(live), refusalOf: () => refusal };
  app = createApp(engine, { mount: [documentation(), factsPart(options), judgementsPart(options)] });
});
afterEach(async () => {
  await Promise.all([live.close(), engine.close()]);
});

const said = async (asked: Response | Promise<Response>) => {
  const response = await asked;
  return { status: response.status, body: await response.json() };
};
const post = (body: unknown, query = '') =>
  said(app.request(`/v1/judgements${query}`, { method: 'POST', headers: json, body: JSON.stringify(body) }));
const get = (path = '') => said(app.request(`/v1/judgements${path}`));
const batches = async (): Promise<FactBatch[]> => {
  const found: FactBatch[] = [];
  for await (const batch of store.since(0)) found.push(batch);
  return found;
};
const degreeOf = async (head: string, tail: string): Promise<number> => {
  const id = (key: string) => vocabulary.findEntity(key);
  const [degrees] = await engine.degrees([
    { op: 'project', relation: vocabulary.findRelation('spouse'), from: { op: 'entity', entity: id(head) } },
  ]);
  return degrees![id(tail)]!;
};

describe('POST /v1/judgements', () => {
  it('keeps the degree that each link had before, and a rejected link never comes back', async () => {
    const [before, other] = [await degreeOf('p1', 'p0'), await degreeOf('p3', 'p2')];
    expect(before).toBeGreaterThan(0.1);
    const { status, body } = await post({
      accept: [fact('the p1', 'spouse', '#0')],
      reject: [fact('p2', 'spouse^-1', 'p3')],
    });
    expect([status, body]).toEqual([200, { epoch: 1, added: 1, removed: 0, rejected: 1, unchanged: 0 }]);
    const [batch] = await batches();
    expect(batch!.changes).toEqual([
      { does: 'reject', ...fact('p3', 'spouse', 'p2'), date: expect.any(String), said: other },
      { does: 'add', ...fact('p1', 'spouse', 'p0'), date: expect.any(String), said: before },
    ]);
    expect([await degreeOf('p1', 'p0'), await degreeOf('p3', 'p2')]).toEqual([1, 0]);
  });

  it('keeps the degree that was noted first, whatever is judged later', async () => {
    const link = fact('p1', 'spouse', 'p0');
    const before = await degreeOf('p1', 'p0');
    await post({ reject: [link] });
    expect((await post({ reject: [link] })).body).toMatchObject({ epoch: 1, unchanged: 1 });
    // Who rejected it is told to the person who would accept it.
    const refused = await post({ accept: [link] });
    expect([refused.status, store.epoch]).toEqual([409, 1]);
    expect(JSON.stringify(refused.body)).toContain('was rejected');
    expect((await post({ accept: [link] }, '?conflicts=accept')).body).toMatchObject({ epoch: 2, added: 1 });
    expect((await post({ accept: [link] })).body).toMatchObject({ epoch: 2, unchanged: 1 });
    const changes = (await batches()).flatMap((batch) => batch.changes);
    expect(changes.map((change) => change.said)).toEqual([before, before]);
    // Nobody predicted what was recorded all along.
    await post({ reject: [fact('p4', 'spouse', 'p5')] });
    expect((await batches()).at(-1)!.changes[0]).not.toHaveProperty('said');
  });

  it('shows conflicts, and refuses facts with conflicts unless they are accepted in spite of them', async () => {
    // Each of eight heads has one spouse.
    const second = fact('p0', 'spouse', 'p9');
    const shown = await post({ accept: [second, fact('p1', 'spouse', 'p0')] }, '?check=true');
    expect(shown).toMatchObject({
      status: 200,
      body: {
        conflicts: [
          { ...second, kind: 'secondTail', message: expect.stringContaining('the p0, the spouse, the p1') },
          { ...second, kind: 'secondHead' },
        ],
      },
    });
    expect(shown.body.conflicts[0].message).toContain('8 of 8 entities have one');
    const refused = await post({ accept: [second, fact('p1', 'spouse', 'p0')] });
    expect([refused.status, store.epoch]).toEqual([409, 0]);
    expect(JSON.stringify(refused.body)).toContain('?conflicts=accept');
    expect((await post({ accept: [second] }, '?conflicts=accept')).body).toMatchObject({ added: 1 });
    // A link that is rejected needs no room.
    expect((await post({ reject: [fact('p0', 'spouse', 'p11')] })).status).toBe(200);
  });

  it('compares facts that are accepted together, and forgets what is rejected with them', async () => {
    const [one, other] = [fact('p9', 'spouse', 'p10'), fact('p9', 'spouse', 'p11')];
    expect((await post({ accept: [one] }, '?check=true')).body).toEqual({ conflicts: [] });
    const both = await post({ accept: [one, other] });
    expect([both.status, store.epoch]).toEqual([409, 0]);
    expect(JSON.stringify(both.body)).toContain('Accepted together is: the p9, the spouse, the p11');
    const accept = [fact('p0', 'spouse', 'p11')];
    const reject = [fact('p0', 'spouse', 'p1'), fact('p10', 'spouse', 'p11')];
    expect((await post({ accept, reject: reject.slice(1) })).status).toBe(409);
    expect((await post({ accept, reject })).body).toMatchObject({ epoch: 1, added: 1, rejected: 2 });
  });

  it.each([
    ['nothing', {}, '', 400],
    ['a fact without a tail', { accept: [{ head: 'p0', relation: 'spouse' }] }, '', 400],
    ['a name that the graph lacks', { reject: [fact('p0', 'spouse', 'nobody')] }, '', 422],
    ['another list', { add: [] }, '', 400],
    ['another parameter', { reject: [fact('p0', 'spouse', 'p2')] }, '?force=1', 400],
    ['another value', { reject: [fact('p0', 'spouse', 'p2')] }, '?conflicts=perhaps', 400],
  ])('refuses %s, and writes nothing', async (_, body, query, status) => {
    expect((await post(body, query)).status).toBe(status);
    expect(store.epoch).toBe(0);
  });

  it('judges the entity that was named, whatever else its key could mean', async () => {
    expect((await post({ reject: [fact('<#3>', 'spouse', 'p4')] })).body).toMatchObject({ rejected: 1 });
    expect((await batches())[0]!.changes).toMatchObject([{ does: 'reject', ...fact('#3', 'spouse', 'p4') }]);
    expect(await degreeOf('<#3>', 'p4')).toBe(0);
    expect(await degreeOf('p3', 'p4')).toBeGreaterThan(0);
  });

  it('refuses callers who may not write', async () => {
    refusal = 'Ask with a key that may write.';
    expect((await post({ reject: [fact('p0', 'spouse', 'p2')] })).status).toBe(403);
  });
});

describe('GET /v1/judgements/next', () => {
  interface Next {
    readonly head: { readonly key: string };
    readonly tail: { readonly key: string };
    readonly relation: { readonly key: string };
    readonly degree: number;
    readonly teaches: number;
    readonly conflicts: readonly string[];
  }
  const next = async (query = ''): Promise<readonly Next[]> => (await get(`/next${query}`)).body.results;

  it('proposes links by what a judgement teaches, in the direction of the data', async () => {
    const found = await next('?relation=spouse&limit=100');
    expect(found.length).toBeGreaterThan(3);
    const teaches = found.map((each) => each.teaches);
    expect(teaches).toEqual(teaches.toSorted((a, b) => b - a));
    for (const { head, relation, tail, degree, teaches: taught } of found) {
      expect(relation.key).toBe('spouse');
      expect(Math.abs((await degreeOf(head.key, tail.key)) - degree)).toBeLessThan(1e-6);
      expect(taught).toBeCloseTo(-(degree * Math.log2(degree) + (1 - degree) * Math.log2(1 - degree)), 9);
    }
    expect(await next('?relation=spouse&limit=100')).toEqual(found);
    expect(await next('?limit=2')).toHaveLength(2);
    const ofP1 = await next('?entity=p1');
    expect(ofP1.length).toBeGreaterThan(0);
    for (const { head, tail } of ofP1) expect([head.key, tail.key]).toContain('p1');
  });

  it('no longer proposes what was judged, and then the relation teaches less', async () => {
    const [first] = await next('?entity=p1&relation=spouse');
    expect([first!.head.key, first!.tail.key]).toEqual(['p1', 'p0']);
    await post({ reject: [fact('p1', 'spouse', 'p0')] });
    const after = await next('?entity=p1&relation=spouse');
    expect(after.map(({ tail }) => tail.key)).not.toContain('p0');
    const [p3] = await next('?entity=p3&relation=spouse');
    const { degree, teaches } = p3!;
    expect(teaches).toBeCloseTo(-(degree * Math.log2(degree) + (1 - degree) * Math.log2(1 - degree)) / 2, 9);
  });

  it.each(['?limit=0', '?limit=x', '?entity=nobody', '?relation=spouse&relation=likes', '?more=1'])(
    'refuses %s',
    async (query) => {
      expect((await get(`/next${query}`)).status).toBe(query.includes('nobody') ? 422 : 400);
    },
  );
});

describe('GET /v1/judgements', () => {
  it('compares what was said with what was found, by week and by relation', async () => {
    const judge = (does: 'add' | 'reject', tail: string, said: number, date: string) => ({
      ...{ does, ...fact('p0', 'likes', tail), said, date },
    });
    await store.append({
      at: '2026-11-29T12:00:00Z',
      changes: [
        judge('add', 'p1', 0.75, '2026-11-23T00:00:00Z'),
        judge('reject', 'p2', 0.25, '2026-11-29T23:59:59Z'),
        judge('reject', 'p3', 0.5, '2026-11-22T23:59:59Z'),
        judge('add', 'p4', 0.5, 'some time'),
        { does: 'add', ...fact('p0', 'likes', 'p5') },
      ],
    });
    // The next write of the server brings its engine to what another process wrote.
    await post({ reject: [{ ...fact('p0', 'spouse', 'p3'), date: '2026-11-29' }] });
    const { body } = await get();
    const likes = { accepted: 2, rejected: 2, said: 0.5, found: 0.5 };
    const relations: readonly { key: string }[] = body.relations;
    const spread = Math.sqrt(2 * 0.1875 + 2 * 0.25) / 4;
    expect(relations.find(({ key }) => key === 'likes')).toMatchObject({ ...likes, spread });
    expect(body.weeks.slice(0, 2)).toMatchObject([
      { begins: '2026-11-23', accepted: 2, rejected: 2 },
      { begins: '2026-11-16', accepted: 0, rejected: 1, said: 0.5, found: 0 },
    ]);
    expect(body).toMatchObject({ accepted: 2, rejected: 3 });
    expect((await get('?since=1')).status).toBe(400);
  });

  it('has zeros before anything was judged', async () => {
    const none = { accepted: 0, rejected: 0, said: 0, found: 0, spread: 0 };
    expect((await get()).body).toEqual({ ...none, weeks: [], relations: [] });
  });
});

it('is described, and is answered as described', async () => {
  const { body: document } = await said(app.request('/openapi.json'));
  expect((await new Validator().validate(structuredClone(document))).errors).toBeUndefined();
  const { components } = document;
  const ajv = new Ajv2020({ strict: false });
  const fits = (name: string, value: unknown): boolean =>
    ajv.validate({ $ref: `#/components/schemas/${name}`, components }, value);
  ajv.addFormat('date', /^\d{4}-\d\d-\d\d$/);
  await post({ accept: [fact('p1', 'spouse', 'p0')] });
  const report = (await get()).body;
  expect([fits('DriftReport', report), fits('DriftReport', { ...report, said: 2 })]).toEqual([true, false]);
  expect(fits('NextJudgements', (await get('/next')).body)).toBe(true);
  const shown = await post({ accept: [fact('p0', 'spouse', 'p9')] }, '?check=true');
  expect(fits('JudgementConflicts', shown.body)).toBe(true);
});
