import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '@fuzzqe/api';
import { type Engine, openEngine } from '@fuzzqe/engine';
import { memoryBundle, referenceSessions } from '@fuzzqe/engine/testing';
import { sparqlPart } from '@fuzzqe/sparql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFuzzqe as fuzzqe } from '../../testing/run-fuzzqe.ts';

let folder = '';
let engine: Engine;
let server: Server;
let host = '';
const at = (name: string): string => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-sources-'));
  const { source, config, parameters } = await memoryBundle();
  engine = await openEngine({ source, sessions: referenceSessions(config, parameters) });
  const app = createApp(engine, { mount: [sparqlPart()] });
  server = createServer(async (request, response) => {
    const headers = { accept: request.headers.accept!, host: request.headers.host! };
    const answer = await app.request(request.url!, { headers });
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await engine.close();
  await rm(folder, { recursive: true });
});

const query = 'SELECT ?x ?label { <urn:fuzzqe:entity:e1> <urn:fuzzqe:relation:r0> ?x }';
const columns = ['--columns', 'head=x,relation="labelled",tail=label'];

describe('a SPARQL endpoint of this project', () => {
  it('is looked at, imported and asked, and its credentials are shown nowhere', async () => {
    const address = `sparql+http://ann:secret@${host}/sparql?query=${encodeURIComponent(query)}`;
    const shown = `sparql+http://${host}/sparql`;
    const peeked = await fuzzqe('data', 'peek', address, ...columns);
    expect([peeked.code, peeked.notes]).toEqual([0, expect.stringContaining(`data import '${shown}?query=`)]);
    expect(peeked.out).toContain(`${shown}: csv,`);
    expect(peeked.out).toMatch(/^ {2}urn:fuzzqe:entity:e\d+ \| labelled \| /m);

    await writeFile(at('query.rq'), query);
    const bare = `sparql+http://ann:secret@${host}/sparql`;
    const flags = [...columns, '--query-file', at('query.rq'), '--hold-out', '0', '--out', at('mine')];
    const imported = await fuzzqe('data', 'import', bare, ...flags);
    expect(imported.code).toBe(0);
    const header = JSON.parse(await readFile(join(at('mine'), 'dataset.json'), 'utf8'));
    expect(header.origin).toEqual({
      ...{ format: 'csv', inverses: 'added' },
      url: `${shown}?query=${encodeURIComponent(query)}`,
    });

    const [, key] = /^ {2}(urn:fuzzqe:entity:e\d+) /m.exec(peeked.out)!;
    const asked = await fuzzqe('ask', address, `project(labelled, ${JSON.stringify(key)})`, ...columns);
    expect([asked.code, asked.out]).toEqual([0, expect.stringContaining('recorded')]);
    expect(asked.notes).toContain(`run '${shown}?query=`);
    for (const { out, notes } of [peeked, imported, asked]) expect(out + notes).not.toMatch(/ann|secret/);
  });

  it('writes nothing where it refuses', async () => {
    const wrong = `sparql+http://${host}/sparql?query=SELECT ?x ?r ?t { SERVICE <http://127.0.0.1:1/> { ?x ?r ?t } }`;
    const refused = await fuzzqe('data', 'import', wrong, '--out', at('none'));
    expect([refused.code, refused.notes]).toEqual([8, expect.stringContaining('got 400 Bad Request: ')]);
    expect((await fuzzqe('data', 'import', 'mysql://h/db?query=q', '--out', at('none'))).code).toBe(2);
    expect((await fuzzqe('ask', 'postgres://h/db', 'project(a, b)')).code).toBe(2);
    const form = await fuzzqe('data', 'peek', wrong, '--format', 'csv');
    expect([form.code, form.notes]).toEqual([
      2,
      expect.stringContaining('expected none for a source, got csv'),
    ]);
    expect((await fuzzqe('data', 'peek', at('query.rq'), '--format', 'csv', '--query-file', 'q')).code).toBe(
      2,
    );
    expect(await readdir(folder)).not.toContain('none');
  });
});
