import type { ApiEnv, ApiPart } from '@fuzzqe/api';
import { createKnowledgeGraph } from '@fuzzqe/core';
import { type Engine, openGraphEngine } from '@fuzzqe/engine';
import { defaultWeights } from '@fuzzqe/evidence';
import { createMemoryFacts, type FactStore, type FollowedFacts, openFollowedFacts } from '@fuzzqe/facts';
import { createVocabulary } from '@fuzzqe/names';
import { Hono } from 'hono';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAccessKey, parseAccessKeys } from '../access/access-keys.ts';
import { type RunningServer, startServer } from '../server.ts';
import { createLog } from '../telemetry/log.ts';
import { entitiesPart } from './entities-part.ts';
import { factsPart } from './facts-part.ts';
import { createLiveFacts, type LiveFacts } from './live-facts.ts';

const named = (...keys: readonly string[]) => keys.map((key) => ({ key, label: key }));
const people = Array.from({ length: 60 }, (_, i) => `p${i}`);
const openEngine = (names: readonly string[] = people): Promise<Engine> => {
  const vocabulary = createVocabulary({ entities: named(...names), relations: named('spouse', 'parent') });
  const { entityCount, relationCount } = vocabulary;
  return openGraphEngine({
    vocabulary,
    facts: createKnowledgeGraph({ entityCount, relationCount, triples: Int32Array.of(0, 0, 1) }),
    evidence: { weights: defaultWeights(relationCount), rules: { relationCount, rules: [] } },
  });
};

interface Place {
  readonly server: RunningServer;
  readonly live: LiveFacts;
  readonly engine: Engine;
  readonly store: FactStore;
  readonly faults: string[];
}

/** A part that answers with a response which it got elsewhere, as that of assistants does. */
const elsewhere: ApiPart = {
  path: '/elsewhere',
  routes: () => new Hono<ApiEnv>().get('/', () => new Response('{}')),
};

const closings: (() => Promise<unknown>)[] = [];
const log = createLog({ write: () => {} });
async function serve(
  store: FactStore,
  { port = 0, names, keys }: { port?: number; names?: readonly string[]; keys?: string } = {},
): Promise<Place> {
  const faults: string[] = [];
  const live = createLiveFacts(store, { onError: (error) => faults.push(String(error)) });
  const engine = await openEngine(names);
  await live.follow(engine);
  const options = { facts: live, refusalOf: () => undefined };
  const known = keys === undefined ? undefined : parseAccessKeys(keys, 'keys');
  const server = await startServer({
    models: engine,
    port,
    closeNotice: 0,
    facts: live,
    keys: () => known,
    log,
    api: { mount: [...[factsPart, entitiesPart].map((part) => part(options)), elsewhere] },
  });
  let closing: Promise<unknown> | undefined;
  const close = () => {
    closing ??= (async () => {
      live.endWaits();
      await server.close();
      await live.close();
    })();
    return closing;
  };
  closings.push(close);
  return { server: { ...server, close: close as () => Promise<void> }, live, engine, store, faults };
}
const follow = (url: string, options = {}): Promise<FollowedFacts> =>
  openFollowedFacts(url, { patience: 0, ...options });

let leader: Place;
beforeEach(async () => {
  leader = await serve(createMemoryFacts());
});
afterEach(async () => {
  await Promise.all(closings.splice(0).map((close) => close()));
});

const json = { 'content-type': 'application/json' };
const ask = async (
  { server }: Pick<Place, 'server'>,
  path: string,
  headers: Record<string, string> = {},
  body?: unknown,
) => {
  const response = await fetch(server.url + path, {
    headers: { ...(body === undefined ? {} : json), ...headers },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    epoch: response.headers.get('fuzzqe-epoch'),
    store: response.headers.get('fuzzqe-store'),
    retryAfter: response.headers.get('retry-after'),
    location: response.headers.get('location'),
    text,
  };
};
const add = (place: Place, head: string, relation: string, tail: string) =>
  ask(place, '/v1/facts', {}, { head, relation, tail });
const query = (place: Place, headers: Record<string, string> = {}, of = 'project(spouse, p3)') =>
  ask(place, '/v1/query', headers, { query: of, k: 50 });
const recorded = ({ text }: { text: string }): string[] =>
  (JSON.parse(text) as { answers: { key: string; state: string }[] }).answers
    .filter(({ state }) => state === 'recorded')
    .map(({ key }) => key);

describe('an answer', () => {
  it.each([
    ['a query', '/v1/query', { query: 'p0' }],
    ['a batch', '/v1/query/batch', { query: 'p0' }],
    ['next relations', '/v1/query/relations', { query: 'p0' }],
    ['an entity', '/v1/entities/p0', undefined],
    ['a part', '/elsewhere', undefined],
    ['a refusal', '/v1/query', { query: 'nobody' }],
  ])('of %s has the epoch and the store', async (_, path, body) => {
    await add(leader, 'p3', 'spouse', 'p4');
    const type = path.endsWith('batch') ? { 'content-type': 'application/x-ndjson' } : {};
    const { status, epoch, store } = await ask(leader, path, type as Record<string, string>, body);
    expect([status, epoch, store]).toEqual([body?.query === 'nobody' ? 422 : 200, '1', leader.store.id]);
  });

  it('of a server whose facts stay has no epoch, and a request for one is refused', async () => {
    const server = await startServer({ models: await openEngine(), port: 0, closeNotice: 0, log });
    closings.push(() => server.close());
    const plain = await ask({ server }, '/v1/query', {}, { query: 'p0' });
    expect([plain.status, plain.epoch, plain.store]).toEqual([200, null, null]);
    for (const path of ['/v1/query', '/v1/query/relations'])
      expect(await ask({ server }, path, { 'fuzzqe-at-least': '0' }, { query: 'p0' })).toMatchObject({
        status: 400,
        text: expect.stringContaining('--facts'),
      });
  });

  it('never claims an epoch whose facts it lacks, while facts come', async () => {
    let going = true;
    let claims = 0;
    const readers = Array.from({ length: 4 }, async () => {
      let last = 0;
      while (going) {
        const answer = await query(leader, {}, 'project(parent, p0)');
        const epoch = Number(answer.epoch);
        const found = new Set(recorded(answer));
        // The fact of epoch i leads to p{i}.
        for (let i = 1; i <= Math.min(epoch, 9); i += 1) expect(found.has(`p${i}`)).toBe(true);
        expect(epoch).toBeGreaterThanOrEqual(last);
        last = epoch;
        if (epoch > 0) claims += 1;
      }
    });
    for (let i = 1; i < 50; i += 1) await add(leader, 'p0', 'parent', `p${i}`);
    going = false;
    await Promise.all(readers);
    expect(claims).toBeGreaterThan(3);
  });
});

describe('fuzzqe-at-least', () => {
  it('waits for the epoch, in both entry points of queries', async () => {
    for (const [i, path] of ['/v1/query', '/v1/query/relations'].entries()) {
      const headers = { 'fuzzqe-at-least': `${i + 1}`, 'fuzzqe-store': leader.store.id };
      const asked = ask(leader, path, headers, { query: 'project(spouse, p3)' });
      await vi.waitFor(async () => expect((await ask(leader, '/metrics')).text).toMatch(/in_flight 2/));
      await add(leader, 'p3', 'spouse', `p${i + 5}`);
      const answer = await asked;
      expect([answer.status, answer.epoch]).toEqual([200, `${i + 1}`]);
      if (i === 0) expect(recorded(answer)).toContain(`p${i + 5}`);
    }
  });

  it.each([
    ['an epoch that does not come', { 'fuzzqe-at-least': '7', 'x-timeout-ms': '60' }, 503, 'not yet at 7'],
    ['no number', { 'fuzzqe-at-least': 'soon' }, 400, 'fuzzqe-at-least'],
    ['a negative number', { 'fuzzqe-at-least': '-1' }, 400, 'fuzzqe-at-least'],
    ['another store', { 'fuzzqe-at-least': '0', 'fuzzqe-store': 'other' }, 409, 'another store'],
  ])('refuses %s', async (_, headers, status, text) => {
    for (const path of ['/v1/query', '/v1/query/relations', '/v1/entities/p0']) {
      const body = path.includes('query') ? { query: 'p0' } : undefined;
      const answer = await ask(leader, path, headers as Record<string, string>, body);
      expect(answer).toMatchObject({ status, text: expect.stringContaining(text), epoch: '0' });
      if (status === 503) expect(answer.retryAfter).toBe('1');
    }
  });

  it('takes the time of the wait off the time of the request', async () => {
    const headers = { 'fuzzqe-at-least': '1', 'x-timeout-ms': '20000' };
    const given: number[] = [];
    const { rank } = leader.engine.ranker;
    Object.assign(leader.engine.ranker, {
      rank(batch: never, limits?: { deadline?: number }) {
        given.push((limits?.deadline ?? 0) - performance.now());
        return rank(batch, limits);
      },
    });
    const { until } = leader.live;
    let begin = (): void => undefined;
    Object.assign(leader.live, {
      until: (...wait: Parameters<typeof until>) => {
        begin();
        return until(...wait);
      },
    });
    for (const path of ['/v1/query', '/v1/query/relations']) {
      const wanted = { ...headers, 'fuzzqe-at-least': `${leader.store.epoch + 1}` };
      // The wait may begin long after the request on a busy machine.
      const begun = new Promise<void>((resolve) => {
        begin = resolve;
      });
      const asked = ask(leader, path, wanted, { query: 'and(project(spouse, p0), project(parent, p1))' });
      await begun;
      await new Promise((resolve) => setTimeout(resolve, 600));
      await add(leader, 'p3', 'spouse', `p${leader.store.epoch + 9}`);
      expect((await asked).status).toBe(200);
    }
    expect(given.length).toBeGreaterThan(1);
    for (const left of given) expect(left).toBeLessThan(19_450);
    // Negative control.
    given.length = 0;
    await ask(leader, '/v1/query', { 'x-timeout-ms': '20000' }, { query: 'project(parent, p1)' });
    expect(Math.max(...given)).toBeGreaterThan(19_450);
  });
});

describe('GET /v1/facts with wait', () => {
  it('answers when a batch comes, and without one when the time is over or the server ends', async () => {
    const waiting = ask(leader, '/v1/facts?since=0&wait=20');
    await add(leader, 'p3', 'spouse', 'p4');
    expect(await waiting).toMatchObject({ status: 200, epoch: '1', text: expect.stringContaining('"p4"') });
    expect(await ask(leader, '/v1/facts?since=1&wait=1')).toMatchObject({
      status: 200,
      epoch: '1',
      text: '',
    });
    const last = ask(leader, '/v1/facts?since=1&wait=20');
    await vi.waitFor(async () => expect((await ask(leader, '/metrics')).text).toMatch(/in_flight 2/));
    await leader.server.close();
    expect(await last).toMatchObject({ status: 200, text: '' });
  });

  it.each(['wait=26', 'wait=-1', 'wait=x', 'wait=1&wait=1', 'follow=true'])('refuses %s', async (text) => {
    expect((await ask(leader, `/v1/facts?since=0&${text}`)).status).toBeGreaterThanOrEqual(400);
  });
});

describe('a follower', () => {
  it('answers by what the writer has taken, from its start on, and refuses changes', async () => {
    await add(leader, 'p3', 'spouse', 'p4');
    const follower = await serve(await follow(leader.server.url));
    expect(follower.store.id).toBe(leader.store.id);
    expect(recorded(await query(follower))).toEqual(['p4']);
    for (let i = 5; i < 25; i += 1) {
      const { epoch } = await add(leader, 'p3', 'spouse', `p${i}`);
      const answer = await query(follower, { 'fuzzqe-at-least': epoch!, 'fuzzqe-store': leader.store.id });
      expect(answer.status).toBe(200);
      expect(recorded(answer)).toContain(`p${i}`);
      expect(Number(answer.epoch)).toBeGreaterThanOrEqual(Number(epoch));
    }
    expect(await add(follower, 'p3', 'spouse', 'p30')).toMatchObject({
      status: 421,
      location: `${leader.server.url}/v1/facts`,
      text: expect.stringContaining(leader.server.url),
    });
    await expect(follower.live.write([])).rejects.toMatchObject({ code: 'misdirected' });
    const at = '2026-11-28T12:00:00Z';
    await expect(follower.store.append({ at, changes: [] })).rejects.toMatchObject({ code: 'runtime' });
    expect(leader.store.epoch).toBe(21);
    const { text } = await ask(follower, '/metrics');
    expect(text).toContain('fuzzqe_facts_epoch 21');
    expect(text).toMatch(/fuzzqe_facts_heard_seconds [\d.e-]+/);
    expect(JSON.parse((await ask(follower, '/readyz')).text)).toEqual({
      ok: true,
      facts: { state: 'following', epoch: 21 },
    });
    expect(JSON.parse((await ask(leader, '/readyz')).text)).toEqual({ ok: true });
    expect(follower.faults).toEqual([]);
  });

  it('of a follower follows the same store', async () => {
    const middle = await serve(await follow(leader.server.url));
    const last = await serve(await follow(middle.server.url));
    const { epoch } = await add(leader, 'p3', 'spouse', 'p4');
    expect(recorded(await query(last, { 'fuzzqe-at-least': epoch! }))).toEqual(['p4']);
  });

  it('has the names that the writer has taken, with the epoch, and refuses new names', async () => {
    const follower = await serve(await follow(leader.server.url));
    const patch = ({ server }: Place, label: string) =>
      fetch(`${server.url}/v1/entities`, {
        method: 'PATCH',
        headers: json,
        body: JSON.stringify({ entity: 'p3', label }),
      });
    for (const label of ['Three', 'Drei']) {
      const epoch = (await patch(leader, label)).headers.get('fuzzqe-epoch');
      const found = await ask(follower, `/v1/entities?q=${label}`, { 'fuzzqe-at-least': epoch! });
      expect(JSON.parse(found.text)).toEqual({ total: 1, results: [{ id: 3, key: 'p3', label }] });
    }
    expect(JSON.parse((await ask(follower, '/v1/entities?q=Three')).text)).toMatchObject({ total: 0 });
    const { status, headers } = await patch(follower, 'Trois');
    expect([status, headers.get('location')]).toEqual([421, `${leader.server.url}/v1/entities`]);
    await leader.store.compact();
    const late = await serve(await follow(follower.server.url));
    expect(late.engine.vocabulary.entity(3).label).toBe('Drei');
  });

  it('goes on by what it has while the writer is away, refuses a later epoch, and catches up', async () => {
    const said: string[] = [];
    const follower = await serve(await follow(leader.server.url, { log: (line: string) => said.push(line) }));
    await add(leader, 'p3', 'spouse', 'p4');
    await follower.live.until(1, 5000);
    const { port } = leader.server;
    const copy = await copyOf(leader, 1);
    await leader.server.close();
    await vi.waitFor(() => expect(follower.store.follows?.state).toBe('away'), 5000);
    expect(recorded(await query(follower))).toEqual(['p4']);
    const late = await query(follower, { 'fuzzqe-at-least': '2', 'x-timeout-ms': '100' });
    expect([late.status, late.epoch]).toEqual([503, '1']);
    // A bundle that comes meanwhile gets the facts.
    const engine = await openEngine();
    await follower.live.follow(engine);
    expect(engine.facts.has(3, 0, 4)).toBe(true);
    const back = await serve(copy, { port });
    await add(back, 'p3', 'spouse', 'p5');
    expect(recorded(await query(follower, { 'fuzzqe-at-least': '2' }))).toEqual(['p4', 'p5']);
    expect(said.map((line) => /does not answer|again/.exec(line)?.[0])).toEqual(['does not answer', 'again']);
  });

  it.each([
    ['another store', (place: Place) => copyOf(place, 3, 'another-store')],
    ['an old copy of the store', (place: Place) => copyOf(place, 1)],
  ])('refuses %s, and never goes back', async (_, restored) => {
    for (const tail of ['p4', 'p5']) await add(leader, 'p3', 'spouse', tail);
    const said: string[] = [];
    const follower = await serve(await follow(leader.server.url, { log: (line: string) => said.push(line) }));
    const { port } = leader.server;
    const store = await restored(leader);
    await leader.server.close();
    await serve(store, { port });
    await vi.waitFor(() => expect(follower.store.follows?.state).toBe('refused'), 8000);
    expect(said.at(-1)).toMatch(/expected (the store|epoch 2)/);
    const answer = await query(follower);
    expect([answer.epoch, answer.store, recorded(answer)]).toEqual(['2', leader.store.id, ['p4', 'p5']]);
    expect((await ask(follower, '/readyz')).text).toContain('"state":"refused"');
  });

  it('recovers when the writer compacts what it has not read', async () => {
    await add(leader, 'p3', 'spouse', 'p4');
    const follower = await serve(await follow(leader.server.url));
    const { port } = leader.server;
    const store = await copyOf(leader, 1);
    await leader.server.close();
    for (const tail of ['p5', 'p6'])
      await store.append({
        at: '2026-11-28T12:00:00Z',
        changes: [
          { does: 'remove', head: 'p3', relation: 'spouse', tail: 'p4' },
          { does: 'add', head: 'p3', relation: 'spouse', tail },
        ],
      });
    await store.compact();
    const back = await serve(store, { port });
    expect((await ask(back, '/v1/facts?since=1')).status).toBe(422);
    await vi.waitFor(() => expect(follower.live.epoch).toBe(3), 8000);
    expect(recorded(await query(follower))).toEqual(['p5', 'p6']);
    await add(back, 'p3', 'spouse', 'p7');
    expect(recorded(await query(follower, { 'fuzzqe-at-least': '4' }))).toEqual(['p5', 'p6', 'p7']);
  });

  it('with a smaller graph stays at the epoch before, says so, and answers', async () => {
    const follower = await serve(await follow(leader.server.url), { names: people.slice(0, 55) });
    await add(leader, 'p3', 'spouse', 'p4');
    await add(leader, 'p3', 'spouse', 'p57');
    await vi.waitFor(() => expect(follower.faults.at(-1)).toMatch(/epoch 2: .*p57/), 5000);
    const answer = await query(follower);
    expect([answer.epoch, recorded(answer)]).toEqual(['1', ['p4']]);
  });

  it('needs a key of a server with keys, an address, and a server with facts', async () => {
    const { key, line } = createAccessKey('follower');
    const guarded = await serve(createMemoryFacts(), { keys: line });
    await expect(follow(guarded.server.url)).rejects.toMatchObject({ code: 'config' });
    await expect(follow(guarded.server.url, { key: `${key}x` })).rejects.toMatchObject({ code: 'config' });
    const store = await follow(guarded.server.url, { key });
    expect(store.id).toBe(guarded.store.id);
    await store.close();
    const server = await startServer({ models: await openEngine(), port: 0, closeNotice: 0, log });
    closings.push(() => server.close());
    await expect(follow(server.url)).rejects.toMatchObject({ code: 'runtime', passing: false });
    await expect(follow('http://127.0.0.1:1')).rejects.toMatchObject({ code: 'runtime', passing: true });
    for (const address of ['ftp://a', 'http://ann:secret@a', 'http://a?b', ''])
      await expect(follow(address)).rejects.toMatchObject({
        code: 'usage',
        message: expect.not.stringContaining('secret'),
      });
  });
});

/** A store of the same id, or of another, with the first batches. */
async function copyOf({ store }: Place, epochs: number, id: string = store.id): Promise<FactStore> {
  const copy = createMemoryFacts();
  for await (const { epoch, ...batch } of store.since(0)) if (epoch <= epochs) await copy.append(batch);
  return Object.defineProperties(copy, { id: { value: id } });
}
