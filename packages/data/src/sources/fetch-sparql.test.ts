import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Store } from 'oxigraph';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { importPath } from '../import/import-path.ts';
import { peekPath } from '../import/peek.ts';

const servers: Server[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Oxigraph behind the SPARQL protocol; `asked` gets the method and the Authorization of each request. */
async function serveOxigraph(turtle: string, asked: string[] = []): Promise<string> {
  const store = new Store();
  store.load(turtle, { format: 'text/turtle' });
  return serve(async (request, response) => {
    asked.push(`${request.method} ${request.headers.authorization ?? ''}`.trim());
    let body = '';
    for await (const chunk of request) body += chunk;
    const url = new URL(request.url!, 'http://h');
    const query = (request.method === 'GET' ? url.searchParams : new URLSearchParams(body)).get('query')!;
    const [type] = request.headers.accept!.split(',', 1);
    try {
      const result: unknown = store.query(query, { results_format: type! });
      response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(String(result));
    } catch (error) {
      response.writeHead(400, { 'content-type': 'text/plain' }).end(`${String(error)}\nmore`);
    }
  });
}

const turtle = `@prefix : <http://x/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:a :likes :b , "a text" ; rdfs:label "Ann"@en ; :age 7 . :b :likes :c . :c :knows _:d .`;
const addressOf = (host: string, query: string): string =>
  `sparql+http://${host}/query?query=${encodeURIComponent(query)}`;
const all = 'CONSTRUCT WHERE { ?h ?r ?t }';
const rows = 'SELECT ?h ?r ?t { ?h ?r ?t FILTER(!isLiteral(?t)) } ORDER BY ?h';

describe('a SPARQL endpoint', () => {
  it('gives a graph with its labels and values by CONSTRUCT', async () => {
    const host = await serveOxigraph(turtle);
    const { dataset, attributes, notes } = await importPath(addressOf(host, all), { name: 'x', holdOut: 0 });
    expect(dataset.train).toHaveLength(9);
    expect(attributes).toBe(2);
    const ann = Array.from({ length: dataset.vocabulary.entityCount }, (_, id) =>
      dataset.vocabulary.entity(id),
    ).map(({ label }) => label);
    expect(ann).toContain('Ann');
    expect(dataset.origin).toEqual({ format: 'ntriples', inverses: 'added', url: addressOf(host, all) });
    expect(notes.join()).not.toContain('fuzzqe-source');
  });

  it('gives rows by SELECT, whose variables are titles whatever their names', async () => {
    const host = await serveOxigraph(turtle);
    const [peeked] = await peekPath(addressOf(host, rows));
    expect(peeked).toMatchObject({ path: `sparql+http://${host}/query`, format: 'csv', facts: 3 });
    expect(peeked!.first[0]).toEqual(['http://x/a', 'http://x/likes', 'http://x/b']);
    const pairs = addressOf(host, 'SELECT ?h ?t { ?h <http://x/likes> ?t FILTER isIRI(?t) }');
    await expect(peekPath(pairs)).rejects.toMatchObject({
      code: 'usage',
      message: 'query: expected three columns, head, relation and tail, got 2: h, t',
      hint: expect.stringContaining('--columns'),
    });
    const [mapped] = await peekPath(pairs, { columns: 'head=h,relation="likes",tail=t' });
    expect(mapped).toMatchObject({ facts: 2 });
  });

  it('takes a long query in a form, and credentials in a header', async () => {
    const asked: string[] = [];
    const host = await serveOxigraph(turtle, asked);
    const long = `${all} # ${'long'.repeat(500)}`;
    const { dataset } = await importPath(addressOf(`ann:s%40cret@${host}`, long), { name: 'x', holdOut: 0 });
    expect(asked).toEqual([`POST Basic ${Buffer.from('ann:s@cret').toString('base64')}`]);
    expect(dataset.origin?.url).toBe(addressOf(host, long));
  });

  it('says what it refuses, in its first line', async () => {
    const host = await serveOxigraph(turtle);
    const refused = peekPath(addressOf(`ann:secret@${host}`, 'SELECT ?h ?r ?t { ?h ?r'));
    await expect(refused).rejects.toMatchObject({
      code: 'runtime',
      path: `sparql+http://${host}/query`,
      message: expect.stringMatching(/^source: expected an answer, got 400 Bad Request: ".*"$/),
    });
    await expect(refused).rejects.not.toMatchObject({ message: expect.stringContaining('more') });
    const hostile = await serve((_, response) => response.writeHead(500).end('\u001b[31mred'));
    await expect(peekPath(addressOf(hostile, all))).rejects.toMatchObject({
      message: expect.stringContaining('"\\u001b[31mred"'),
    });
  });

  it('is told where nobody answers, or what is no endpoint', async () => {
    await expect(peekPath(addressOf('127.0.0.1:1', all))).rejects.toMatchObject({
      code: 'runtime',
      message: expect.stringContaining('fetch failed'),
    });
    const page = await serve((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
    );
    await expect(peekPath(addressOf(page, all))).rejects.toMatchObject({
      code: 'data',
      message: 'source: expected N-Triples or Turtle for CONSTRUCT and DESCRIBE, got "text/html"',
    });
    await expect(peekPath(addressOf(page, rows))).rejects.toMatchObject({
      message: 'source: expected CSV for SELECT, got "text/html"',
    });
  });

  it('is no source where it ends early, stays silent, or is stopped', async () => {
    const triple = '<http://x/a> <http://x/r> <http://x/b> .\n';
    const headers = { 'content-type': 'application/n-triples' };
    const cut = await serve((_, response) => {
      response.writeHead(200, headers);
      response.write(triple, () => response.destroy());
    });
    await expect(peekPath(addressOf(cut, all))).rejects.toMatchObject({
      code: 'runtime',
      message: expect.stringMatching(/got \d+ bytes before the connection ended \(terminated/),
    });
    let isClosed: (() => void) | undefined;
    const closed = new Promise<void>((resolve) => {
      isClosed = resolve;
    });
    const silent = await serve((_, response) => {
      response.on('close', () => isClosed?.());
      response.writeHead(200, headers).write(triple);
    });
    await expect(peekPath(addressOf(silent, all), { patience: 200 })).rejects.toMatchObject({
      message: 'source: expected more, got nothing for 0.2 s',
      hint: expect.stringMatching(/had sent \d+ bytes/),
    });
    await closed;
    const stop = new AbortController();
    const stopped = peekPath(addressOf(silent, all), { signal: stop.signal });
    setTimeout(() => stop.abort(), 100);
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
  });

  it('leaves no files where the process ends before', async () => {
    const own = await mkdtemp(join(tmpdir(), 'fuzzqe-own-'));
    vi.stubEnv('TMPDIR', own);
    let isAsked = false;
    const silent = await serve(() => {
      isAsked = true;
    });
    const stop = new AbortController();
    const stopped = peekPath(addressOf(silent, all), { signal: stop.signal });
    stopped.catch(() => {});
    await expect.poll(() => isAsked).toBe(true);
    expect(await readdir(own)).toHaveLength(1);
    // What Node does as it ends, on Ctrl-C as well.
    const [remove] = process.listeners('exit').slice(-1);
    remove!(130);
    expect(await readdir(own)).toEqual([]);
    stop.abort();
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
    expect(process.listeners('exit')).not.toContain(remove);
    await rm(own, { recursive: true });
  });

  it('has facts, and bad ones are told by the address', async () => {
    const host = await serveOxigraph(turtle);
    const none = addressOf(host, 'CONSTRUCT WHERE { ?h <http://x/none> ?t }');
    await expect(importPath(none, { name: 'x' })).rejects.toMatchObject({
      code: 'data',
      path: `sparql+http://${host}/query`,
    });
    const unbound = addressOf(
      host,
      'SELECT ?h ?r ?t { ?h ?r ?x BIND(IF(isIRI(?x), ?x, ?y) AS ?t) } ORDER BY ?h',
    );
    await expect(importPath(unbound, { name: 'x' })).rejects.toMatchObject({
      message: expect.stringContaining('got an empty cell'),
      path: expect.stringMatching(/^sparql\+http:\/\/[^/]*\/query:\d$/),
    });
    expect(await importPath(unbound, { name: 'x', skipBad: true, holdOut: 0 })).toMatchObject({
      badLines: 4,
    });
  });
});
