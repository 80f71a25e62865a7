import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKnowledgeGraph } from '@fuzzqe/core';
import { openGraphEngine } from '@fuzzqe/engine';
import { defaultWeights } from '@fuzzqe/evidence';
import { createVocabulary } from '@fuzzqe/names';
import { createAccessKey, readSettings, type Service } from '@fuzzqe/serve';
import { SparqlEndpointFetcher } from 'fetch-sparql-endpoint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beginService } from '../actions/serve.ts';

const named = (...keys: readonly string[]) => keys.map((key) => ({ key, label: key }));

describe('SPARQL Update of a server', () => {
  let folder = '';
  let service: Service;
  const keys = { reader: createAccessKey('reader'), writer: createAccessKey('writer') };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fuzzqe-update-'));
    const file = join(folder, 'keys.txt');
    await writeFile(file, `${keys.reader.line}\n${keys.writer.line} write\n`);
    const engine = await openGraphEngine({
      vocabulary: createVocabulary({
        entities: named('France', 'Monaco', 'Spain', 'Italy'),
        relations: named('borders', 'likes'),
      }),
      facts: createKnowledgeGraph({ entityCount: 4, relationCount: 4, triples: Int32Array.of(0, 0, 2) }),
      evidence: { weights: defaultWeights(4), rules: { relationCount: 4, rules: [] } },
    });
    const flags = { port: '0', logLevel: 'error', closeNotice: '0', playground: 'off', keys: file };
    service = await beginService(
      [],
      await readSettings({ flags: { ...flags, facts: join(folder, 'facts') }, environment: {} }),
      [engine],
    );
    await service.opened;
  });
  afterAll(async () => {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });

  const send = (
    body: string,
    headers: Readonly<Record<string, string>> = {},
    key = keys.writer.key,
    search = '',
  ): Promise<Response> =>
    fetch(`${service.url}/sparql${search}`, {
      method: 'POST',
      headers: { 'content-type': 'application/sparql-update', authorization: `Bearer ${key}`, ...headers },
      body,
    });
  const bordersOf = async (name: string): Promise<string[]> => {
    const query = `SELECT ?x { entity:${name} relation:borders ?x FILTER(?degree >= 1) }`;
    const answer = await send(query, { 'content-type': 'application/sparql-query', accept: 'text/csv' });
    return (await answer.text())
      .split('\r\n')
      .slice(1, -1)
      .map((iri) => iri.split(':').at(-1)!)
      .sort();
  };
  const epochNow = async (): Promise<number> => {
    const { headers } = await fetch(`${service.url}/v1/facts?since=0`, {
      headers: { authorization: `Bearer ${keys.reader.key}` },
    });
    return Number(headers.get('fuzzqe-epoch'));
  };

  it('is one batch, which the next query sees, with the epoch and the counts', async () => {
    const before = await epochNow();
    const answer = await send(`INSERT DATA { entity:France relation:borders entity:Monaco , entity:Italy } ;
      DELETE { entity:France relation:borders ?x } INSERT { entity:France relation:likes ?x }
      WHERE { entity:France relation:borders ?x FILTER(?x != entity:Italy) }`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('fuzzqe-epoch')).toBe(`${before + 1}`);
    expect(answer.headers.get('fuzzqe-store')).toMatch(/^[0-9a-f-]{36}$/);
    expect(await answer.json()).toEqual({ epoch: before + 1, added: 3, removed: 1, unchanged: 1 });
    expect(await bordersOf('France')).toEqual(['Italy']);
    const log = await fetch(`${service.url}/v1/facts?since=${before}`, {
      headers: { authorization: `Bearer ${keys.reader.key}` },
    });
    expect(JSON.parse(await log.text())).toMatchObject({ epoch: before + 1, by: 'writer' });
  });

  it.each([
    ['a form', false],
    ['POST', true],
  ])('is taken from the client fetch-sparql-endpoint by %s', async (_, directPost) => {
    const client = new SparqlEndpointFetcher({
      directPost,
      defaultHeaders: new Headers({ authorization: `Bearer ${keys.writer.key}` }),
    });
    await client.fetchUpdate(
      `${service.url}/sparql`,
      'INSERT DATA { entity:Spain relation:borders entity:Italy }',
    );
    expect(await bordersOf('Spain')).toContain('Italy');
    await client.fetchUpdate(`${service.url}/sparql`, 'DELETE WHERE { entity:Spain relation:borders ?x }');
    expect(await bordersOf('Spain')).not.toContain('Italy');
    const unknown = 'INSERT DATA { entity:Spian relation:borders entity:Italy }';
    await expect(client.fetchUpdate(`${service.url}/sparql`, unknown)).rejects.toThrow(/400/);
  });

  it('sees all writes before it, and none comes between', async () => {
    const fact = 'entity:Italy relation:likes entity:Monaco';
    const turns = Array.from({ length: 20 }, (_, i) =>
      i % 2 === 0
        ? send(`INSERT DATA { ${fact} }`)
        : send(`DELETE { ${fact} } INSERT { entity:Monaco relation:likes entity:Italy } WHERE { ${fact} }`),
    );
    const answers = await Promise.all(turns);
    expect(answers.map(({ status }) => status)).toEqual(turns.map(() => 200));
    // Each update that found the fact removed it: no removal is counted twice or in vain.
    const counts = await Promise.all(answers.map((answer) => answer.json()));
    const sum = (of: 'added' | 'removed', i: number): number =>
      counts.filter((_, at) => at % 2 === i).reduce((all, each) => all + each[of], 0);
    expect(sum('removed', 1)).toBeGreaterThan(0);
    expect(sum('added', 0) - sum('removed', 1)).toBe(
      (await (await send(`DELETE DATA { ${fact} }`)).json()).removed,
    );
  });

  it('does once what comes twice with an idempotency key', async () => {
    const update = 'INSERT DATA { entity:Italy relation:borders entity:Spain }';
    const headers = { 'idempotency-key': 'one' };
    const first = await (await send(update, headers)).json();
    expect(await (await send(update, headers)).json()).toEqual({
      ...first,
      added: 0,
      unchanged: 1,
      repeated: true,
    });
  });

  it.each([
    ['a caller who may not write', 403, 'forbidden', 'INSERT DATA {', {}, 'reader'],
    ['the id of another store', 409, 'conflict', 'INSERT DATA {', { 'fuzzqe-store': 'another' }, 'writer'],
    [
      'a name that the graph lacks',
      400,
      'query',
      'INSERT DATA { entity:Frence relation:borders entity:Spain }',
      {},
      'writer',
    ],
    ['what is no update', 400, 'query', 'SELECT ?x { entity:France relation:borders ?x }', {}, 'writer'],
    [
      'a second operation that is refused',
      400,
      'query',
      'INSERT DATA { entity:Italy relation:borders entity:Italy } ; CLEAR ALL',
      {},
      'writer',
    ],
  ] as const)('refuses %s, and writes nothing', async (what, status, code, update, headers, caller) => {
    const before = await epochNow();
    const answer = await send(update, headers, keys[caller].key);
    const problem = await answer.json();
    expect([answer.status, problem.code]).toEqual([status, code]);
    if (what.includes('name')) expect(problem.hint).toContain('France');
    expect(await epochNow()).toBe(before);
  });

  describe('with ?create=true', () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const creating = (update: string): Promise<Response> => send(update, {}, keys.writer.key, '?create=true');
    const factsAfter = async (epoch: number): Promise<unknown> =>
      JSON.parse(
        await (
          await fetch(`${service.url}/v1/facts?since=${epoch}`, {
            headers: { authorization: `Bearer ${keys.reader.key}` },
          })
        ).text(),
      );

    it('creates the names that INSERT DATA has, and a query finds them by their IRIs', async () => {
      const before = await epochNow();
      const update = `PREFIX ex: <http://example.org/>
        INSERT DATA { entity:Andorra relation:borders entity:France , entity:Spain . ex:Sol relation:lights entity:Andorra }`;
      expect((await send(update)).status).toBe(400);
      const answer = await creating(update);
      expect(await answer.json()).toEqual({
        ...{ epoch: before + 1, added: 3, removed: 0, unchanged: 0, created: 3 },
      });
      expect(await factsAfter(before)).toMatchObject({
        creates: { entities: ['Andorra', 'http://example.org/Sol'], relations: ['lights'] },
      });
      expect(await bordersOf('Andorra')).toEqual(['France', 'Spain']);
      const query = 'SELECT ?x { ?x <urn:fuzzqe:relation:lights> entity:Andorra FILTER(?degree >= 1) }';
      const lit = await send(query, { 'content-type': 'application/sparql-query', accept: 'text/csv' });
      expect(await lit.text()).toContain('http://example.org/Sol');
      // What is there already is not created again, whatever form sends it.
      const again = await send(
        new URLSearchParams({ update }).toString(),
        form,
        keys.writer.key,
        '?create=true',
      );
      expect(await again.json()).toEqual({ epoch: before + 2, added: 0, removed: 0, unchanged: 3 });
    });

    it('lets the operations after it see new names, and creates no name of a fact that goes again', async () => {
      const before = await epochNow();
      const answer = await creating(`INSERT DATA { entity:Malta relation:borders entity:Italy } ;
        INSERT { ?x relation:near entity:Malta } WHERE { entity:Malta relation:borders ?x } ;
        INSERT DATA { entity:Nowhere relation:borders entity:Italy } ; DELETE DATA { entity:Nowhere relation:borders entity:Italy }`);
      expect(await answer.json()).toMatchObject({ epoch: before + 1, added: 2, created: 2 });
      expect(await factsAfter(before)).toMatchObject({
        creates: { entities: ['Malta'], relations: ['near'] },
        changes: [
          { head: 'Malta', relation: 'borders', tail: 'Italy' },
          { head: 'Italy', relation: 'near', tail: 'Malta' },
        ],
      });
      expect(await bordersOf('Malta')).toEqual(['Italy']);
    });

    it.each([
      ['a removal', 'DELETE DATA { entity:Frence relation:borders entity:Spain }', /line 1, column 15/],
      [
        'a pattern',
        'INSERT { ?x relation:likes entity:Iceland } WHERE { ?x relation:borders entity:Frence }',
        /line 1, column 73/,
      ],
      ['a literal', 'INSERT DATA { entity:France relation:borders "Spain" }', /line 1, column 46/],
      ['an empty key', 'INSERT DATA { entity: relation:borders entity:Spain }', /line 1, column 15/],
      [
        'the inverse of a relation',
        'INSERT DATA { entity:France <urn:fuzzqe:relation:new%5E-1> entity:Spain }',
        /line 1, column 29/,
      ],
    ])('refuses a name that the graph lacks in %s, with its place', async (_, update, place) => {
      const before = await epochNow();
      const answer = await creating(update);
      const problem = await answer.json();
      expect([answer.status, problem.code, problem.path]).toEqual([
        400,
        'query',
        expect.stringMatching(place),
      ]);
      expect(await epochNow()).toBe(before);
    });

    it('refuses another value', async () => {
      const update = 'INSERT DATA { entity:Iceland relation:borders entity:Spain }';
      const answer = await send(update, {}, keys.writer.key, '?create=yes');
      expect([answer.status, await answer.json()]).toEqual([
        400,
        expect.objectContaining({ path: 'create' }),
      ]);
    });
  });

  it('writes no epoch for an update that changes nothing', async () => {
    const before = await epochNow();
    const answer = await send('DELETE WHERE { entity:Monaco relation:borders entity:Monaco }');
    expect(await answer.json()).toEqual({ epoch: before, added: 0, removed: 0, unchanged: 0 });
    expect(await epochNow()).toBe(before);
  });

  it('takes no update in an address', async () => {
    const update = encodeURIComponent('INSERT DATA { entity:Italy relation:borders entity:Italy }');
    const answer = await fetch(`${service.url}/sparql?update=${update}`, {
      headers: { authorization: `Bearer ${keys.writer.key}` },
    });
    expect([answer.status, await bordersOf('Italy')]).toEqual([400, expect.not.arrayContaining(['Italy'])]);
  });

  it('says in the service description that it takes updates', async () => {
    const answer = await fetch(`${service.url}/sparql`, {
      headers: { authorization: `Bearer ${keys.reader.key}` },
    });
    expect(await answer.text()).toContain('sd:SPARQL11Update');
  });
});
