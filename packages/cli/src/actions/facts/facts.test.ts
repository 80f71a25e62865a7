import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKnowledgeGraph } from '@fuzzqe/core';
import { openGraphEngine } from '@fuzzqe/engine';
import { defaultWeights } from '@fuzzqe/evidence';
import { openFactLog } from '@fuzzqe/facts';
import { createVocabulary } from '@fuzzqe/names';
import { readSettings, type Service } from '@fuzzqe/serve';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFuzzqe as fuzzqe } from '../../testing/run-fuzzqe.ts';
import { beginService } from '../serve.ts';

const named = (...names: readonly string[]) => names.map((key) => ({ key, label: key }));

describe('fuzzqe facts', () => {
  let folder = '';
  let service: Service;
  let bare: Service;
  const serve = async (flags: Readonly<Record<string, string>>): Promise<Service> => {
    const vocabulary = createVocabulary({
      entities: named('France', 'Monaco', 'San Marino'),
      relations: named('borders'),
    });
    const facts = createKnowledgeGraph({
      entityCount: 3,
      relationCount: 2,
      triples: Int32Array.of(0, 0, 2),
    });
    const evidence = { weights: defaultWeights(2), rules: { relationCount: 2, rules: [] } };
    const engine = await openGraphEngine({ vocabulary, facts, evidence });
    const settings = await readSettings({
      flags: { port: '0', logLevel: 'error', closeNotice: '0', playground: 'off', ...flags },
      environment: {},
    });
    const begun = await beginService([], settings, [engine]);
    await begun.opened;
    return begun;
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fuzzqe-facts-'));
    service = await serve({ facts: join(folder, 'facts') });
    bare = await serve({});
  });
  afterAll(async () => {
    await Promise.all([service.close(), bare.close()]);
    await rm(folder, { recursive: true, force: true });
  });

  it('adds a fact, says so again, removes it, and lists what was done', async () => {
    const fact = ['France', 'borders', 'Monaco', '--source', 'atlas'];
    const added = await fuzzqe('facts', 'add', service.url, ...fact);
    expect(added).toMatchObject({ code: 0, out: 'Epoch 1: 1 added, 0 removed, 0 as they were' });
    const again = await fuzzqe('facts', 'add', service.url, ...fact, '--json');
    expect(JSON.parse(again.out)).toMatchObject({ added: 0, unchanged: 1 });
    const removed = await fuzzqe('facts', 'remove', service.url, 'Monaco', 'borders^-1', 'France');
    expect(removed.out).toContain('0 added, 1 removed, 0 as they were');
    const log = await fuzzqe('facts', 'log', service.url);
    expect(log.out).toContain('  + France  borders  Monaco  (atlas)');
    expect(log.out).toContain('  - France  borders  Monaco');
    expect((await fuzzqe('facts', 'log', service.url, '--since', '1')).out).not.toContain('Epoch 1,');
    expect(
      (await fuzzqe('facts', 'log', service.url, '--json')).out
        .split('\n')
        .map((line) => JSON.parse(line).epoch)[0],
    ).toBe(1);
  });

  it('labels an entity, which answers in every notation at once, and lists it', async () => {
    const label = (...words: readonly string[]) => fuzzqe('facts', 'label', service.url, ...words);
    const said = await label('San Marino', 'San Marino (state)', '--alias', 'Sammarinese', 'Titan');
    expect(said).toMatchObject({ code: 0, out: expect.stringMatching(/^Epoch \d+: San Marino changed$/) });
    const search = `SELECT ?x ?label { <urn:fuzzqe:entity:France> <urn:fuzzqe:relation:borders> ?x }`;
    const found = await fetch(`${service.url}/sparql?query=${encodeURIComponent(search)}`);
    expect(await found.text()).toContain('San Marino (state)');
    const body = JSON.stringify({ query: 'project(borders^-1, titan)' });
    const headers = { 'content-type': 'application/json' };
    const asked = await fetch(`${service.url}/v1/query`, { method: 'POST', headers, body });
    expect(await asked.json()).toMatchObject({ answers: [{ key: 'France' }] });
    expect((await fuzzqe('facts', 'log', service.url)).out).toContain(
      '  ~ San Marino  label: San Marino (state)  aliases: Sammarinese, Titan',
    );
    expect(JSON.parse((await label('Titan', 'San Marino', '--alias', 'x', '--json')).out)).toMatchObject({
      epoch: expect.any(Number),
    });
    expect((await label('Titan', 'San Marino')).code).toBe(3);
    expect((await label('France')).code).toBe(2);
    expect(await fuzzqe('facts', 'label', bare.url, 'France', 'F')).toMatchObject({
      ...{ code: 2, notes: expect.stringContaining('a server whose facts change') },
    });
  });

  it('labels by the key in a store', async () => {
    const store = join(folder, 'label-store');
    await (await openFactLog(store)).close();
    expect((await fuzzqe('facts', 'label', store, 'France', 'F')).out).toBe('Epoch 1: France changed');
    expect((await fuzzqe('facts', 'log', store)).out).toContain('  ~ France  label: F');
    const opened = await openFactLog(store);
    const names = [{ key: 'France', label: null, attributes: [{ key: 'area', values: null }] }];
    await opened.append({ at: '2026-11-28T12:00:00Z', names, changes: [] });
    await opened.close();
    const { out } = await fuzzqe('facts', 'log', store, '--since', '1');
    expect(out).toContain('  ~ France  label: as in the bundle  area: as in the bundle');
  });

  it('removes what a source added last, and refuses a source without a name', async () => {
    for (const [tail, source] of [
      ['Monaco', 'old map'],
      ['France', 'old map'],
      ['San Marino', 'survey'],
    ] as const)
      await fuzzqe('facts', 'add', service.url, 'Monaco', 'borders', tail, '--source', source);
    const remove = (source: string) => fuzzqe('facts', 'remove', service.url, '--source', source);
    expect((await remove('old map')).out).toContain('0 added, 2 removed, 0 as they were');
    expect((await remove('old map')).out).toContain('0 added, 0 removed, 0 as they were');
    expect((await remove('survey')).out).toContain('0 added, 1 removed, 0 as they were');
    expect((await remove('')).code).toBe(2);
  });

  it('says when facts hold, those of a file too, and refuses what is no date', async () => {
    const lines = join(folder, 'dated.ndjson');
    const fact = { head: 'Monaco', relation: 'borders', tail: 'Monaco' };
    await writeFile(lines, `${JSON.stringify({ ...fact, from: '1861' })}\n`);
    const add = (...flags: readonly string[]) =>
      fuzzqe('facts', 'add', service.url, '--from', lines, ...flags);
    expect((await add('--valid-from', '1900', '--valid-until', '1919')).out).toContain('1 added');
    const address = `${service.url}/v1/facts?${new URLSearchParams(fact)}`;
    expect(await (await fetch(address)).json()).toMatchObject({
      provenance: { from: '1861', until: '1919' },
    });
    expect(await add('--valid-until', 'soon')).toMatchObject({
      ...{ code: 2, notes: expect.stringContaining('expected a date as 2001') },
    });
    expect(await add('--valid-until', '1860')).toMatchObject({
      ...{ code: expect.any(Number), notes: expect.stringContaining('a date that is not before 1861') },
    });
    await writeFile(lines, `${JSON.stringify({ ...fact, from: 'soon' })}\n`);
    expect(await add()).toMatchObject({ code: 4, notes: expect.stringContaining('dated.ndjson:1') });
    const store = join(folder, 'dated-store');
    await (await openFactLog(store)).close();
    await fuzzqe('facts', 'add', store, 'Monaco', 'borders', 'France', '--valid-until', '1919');
    expect((await fuzzqe('facts', 'log', store, '--json')).out).toContain('"until":"1919"');
    await fuzzqe('facts', 'remove', service.url, 'Monaco', 'borders', 'Monaco');
  });

  it('takes facts of a file, between tabs or as JSON, and names the line that is no fact', async () => {
    const [good, bad] = [join(folder, 'good.tsv'), join(folder, 'bad.tsv')];
    await writeFile(
      good,
      'Monaco\tborders\tFrance\n\n{"head":"Monaco","relation":"borders","tail":"San Marino"}\n',
    );
    await writeFile(bad, 'Monaco\tborders\tFrance\nMonaco borders France\n');
    const taken = await fuzzqe('facts', 'add', service.url, '--from', good);
    expect(taken.out).toContain('2 added, 0 removed, 0 as they were');
    const refused = await fuzzqe('facts', 'remove', service.url, '--from', bad);
    expect(refused).toMatchObject({ code: 4, out: '' });
    expect(refused.notes).toContain(`${bad}:2: fact: expected three texts between tabs`);
    const missing = await fuzzqe('facts', 'add', service.url, '--from', join(folder, 'none.tsv'));
    expect(missing.notes).toContain('none.tsv');
    expect(missing.code).not.toBe(0);
  });

  it('changes and lists a store itself, which no server has open', async () => {
    const store = join(folder, 'store');
    await (await openFactLog(store)).close();
    const added = await fuzzqe('facts', 'add', store, 'France', 'borders', 'San Marino', '--source', 'atlas');
    expect(added).toMatchObject({ code: 0, out: 'Epoch 1: 1 changes written' });
    const removed = await fuzzqe('facts', 'remove', store, 'France', 'borders', 'San Marino', '--json');
    expect(JSON.parse(removed.out)).toEqual({ epoch: 2, changes: 1 });
    const log = await fuzzqe('facts', 'log', store);
    expect(log.out).toContain('  + France  borders  San Marino  (atlas)');
    expect(log.out).toContain('  - France  borders  San Marino');
    const [line] = (await fuzzqe('facts', 'log', store, '--since', '1', '--json')).out.split('\n');
    expect(JSON.parse(line!)).toMatchObject({ epoch: 2, changes: [{ does: 'remove' }] });
    expect(line).not.toContain('idempotencyKey');
    const held = await fuzzqe('facts', 'log', join(folder, 'facts'));
    expect([held.code === 0, held.notes]).toEqual([false, expect.stringContaining(join(folder, 'facts'))]);
  });

  it('compacts a store, which then has the last changes alone, and no server', async () => {
    const store = join(folder, 'long-store');
    const opened = await openFactLog(store);
    const fact = { head: 'France', relation: 'borders', tail: 'Monaco' };
    for (const does of ['add', 'remove', 'add'] as const)
      await opened.append({ at: '2026-11-28T12:00:00Z', changes: [{ does, ...fact }] });
    await opened.close();
    expect(await fuzzqe('facts', 'compact', store)).toMatchObject({ code: 0, out: 'Epoch 3: compacted' });
    const { out } = await fuzzqe('facts', 'log', store);
    expect(out).toBe('Epoch 3, 2026-11-28T12:00:00Z\n  + France  borders  Monaco');
    for (const [target, note] of [
      [service.url, 'expected a store of facts, got "http'],
      [join(folder, 'nothing here'), 'expected a store of facts'],
      [join(folder, 'facts'), join(folder, 'facts')],
    ] as const) {
      const refused = await fuzzqe('facts', 'compact', target);
      expect([refused.code === 0, refused.notes]).toEqual([false, expect.stringContaining(note)]);
    }
  });

  it('never says the password of a store', async () => {
    for (const address of [
      'postgres://a:never-to-be-seen@127.0.0.1:1/db',
      'sparql+http://a:never-to-be-seen@127.0.0.1:1/query',
    ]) {
      const { code, out, notes } = await fuzzqe('facts', 'log', address);
      expect([code, out]).toEqual([9, '']);
      expect(notes).toContain('Check that the server runs and can be reached.');
      expect(notes).not.toContain('never-to-be-seen');
    }
  });

  it.each<readonly [what: string, args: readonly string[], note: string]>([
    ['a name that the graph lacks', ['SERVER', 'Frence', 'borders', 'Monaco'], 'did you mean "France"?'],
    [
      'two names',
      ['SERVER', 'France', 'borders'],
      'expected a head, a relation and a tail, or --from, got 2 names',
    ],
    ['names and a file', ['SERVER', 'France', 'borders', 'Monaco', '--from', 'x'], 'or --from, got 3 names'],
    ['what is no address', ['localhost:8080', 'France', 'borders', 'Monaco'], 'expected an address of HTTP'],
    [
      'a server without facts that change',
      ['BARE', 'France', 'borders', 'Monaco'],
      'Start it with --facts DIR.',
    ],
    ['a file of a key that is not there', ['SERVER', 'a', 'b', 'c', '--key-file', 'none'], 'file of a key'],
  ])('refuses %s', async (_, args, note) => {
    const given = args.map((each) => ({ SERVER: service.url, BARE: bare.url })[each] ?? each);
    const { code, out, notes } = await fuzzqe('facts', 'add', ...given);
    expect(out).toBe('');
    expect(code).not.toBe(0);
    expect(notes).toContain(note);
    expect(code).toBe(note.includes('did you mean') ? 3 : 2);
  });
});
