import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Store } from 'oxigraph';
import { afterEach, describe, expect, it } from 'vitest';
import { type FactChange, type FactStore, openSparqlFacts } from '../index.ts';
import { batchesOf, describeFactStore } from '../testing/index.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** What happens to a request before Oxigraph has it. */
interface Faults {
  /** A status in place of an answer. */
  status?: number | undefined;
  /** Done, but the answer is lost. */
  isLost?: boolean;
}

/** Oxigraph behind the SPARQL protocol. */
async function serveOxigraph(rdf: Store = new Store()) {
  const faults: Faults = {};
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    asked.push(`${request.url} ${request.headers.authorization ?? ''}`.trim());
    if (faults.status !== undefined) return response.writeHead(faults.status).end('told\nmore');
    try {
      if (request.headers['content-type']?.startsWith('application/sparql-update')) {
        rdf.update(body);
        if (faults.isLost) return response.destroy();
        return response.writeHead(204).end();
      }
      const answer = String(rdf.query(body, { results_format: 'text/csv' }));
      return response.writeHead(200, { 'content-type': 'text/csv; charset=utf-8' }).end(answer);
    } catch (error) {
      return response.writeHead(400).end(String(error));
    }
  });
  servers.push(server);
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  return { rdf, faults, asked, port, server, address: `sparql+http://127.0.0.1:${port}/query` };
}

const addresses = new Map<string, string>();
const again = (store: FactStore) => openSparqlFacts(addresses.get(store.id)!, { pollEvery: 10 });
const open = async () => {
  const { address } = await serveOxigraph();
  const store = await openSparqlFacts(address, { pollEvery: 10 });
  addresses.set(store.id, address);
  return store;
};

describeFactStore('in Oxigraph', { describe, it, expect }, { open, reopen: again, openAgain: again });

const at = '2026-11-28T12:00:00Z';
const change = (does: 'add' | 'remove', head: string, relation: string, tail: string): FactChange => ({
  ...{ does, head, relation, tail },
});
const triples = (rdf: Store, graph = 'DEFAULT'): readonly string[] =>
  rdf
    .match()
    .filter((quad) =>
      graph === 'DEFAULT' ? quad.graph.termType === 'DefaultGraph' : quad.graph.value === graph,
    )
    .map(({ subject, predicate, object }) => `${subject.value} ${predicate.value} ${object.value}`)
    .sort();

describe('facts in an RDF store', () => {
  it('are its triples, by the IRIs that SPARQL queries have', async () => {
    const { rdf, address } = await serveOxigraph();
    rdf.update('INSERT DATA { <http://x/a> <http://x/r> <http://x/b>, <isbn:1> ; <http://x/label> "a" }');
    const store = await openSparqlFacts(address);
    await store.append({
      at,
      changes: [
        change('remove', 'http://x/a', 'http://x/r', 'http://x/b'),
        change('remove', 'http://x/a', 'http://x/r', 'isbn:1'),
        change('add', 'http://x/a', 'http://x/r', 'isbn:2'),
        change('add', 'Monaco "M"', 'borders on', 'isbn:2'),
        // The last change of a fact wins.
        change('remove', 'x', 'r', 'y'),
        change('add', 'x', 'r', 'y'),
        change('add', 'x', 'r', 'z'),
        change('remove', 'x', 'r', 'z'),
      ],
    });
    expect(triples(rdf)).toEqual([
      'http://x/a http://x/label a',
      'http://x/a http://x/r isbn:2',
      'urn:fuzzqe:entity:Monaco%20%22M%22 urn:fuzzqe:relation:borders%20on urn:fuzzqe:entity:isbn:2',
      'urn:fuzzqe:entity:x urn:fuzzqe:relation:r urn:fuzzqe:entity:y',
    ]);
    await store.compact();
    expect(triples(rdf)).toHaveLength(4);
    await store.close();
  });

  it('stand in a graph that the address names', async () => {
    const { rdf, address } = await serveOxigraph();
    const store = await openSparqlFacts(`${address}?graph=urn:g`);
    await store.append({ at, changes: [change('add', 'x', 'r', 'y'), change('add', 'x', 'r', 'z')] });
    await store.append({ at, changes: [change('remove', 'x', 'r', 'z')] });
    expect(triples(rdf, 'urn:g')).toEqual(['urn:fuzzqe:entity:x urn:fuzzqe:relation:r urn:fuzzqe:entity:y']);
    expect(triples(rdf)).toEqual([]);
    await store.close();
  });

  it('reject appends while the store is away, and go on afterwards', async () => {
    const { faults, address, rdf } = await serveOxigraph();
    const store = await openSparqlFacts(address);
    const batch = { at, idempotencyKey: 'k', changes: [change('add', 'x', 'r', 'y')] };
    faults.status = 503;
    await expect(store.append(batch)).rejects.toMatchObject({ code: 'storage', passing: true });
    await expect(batchesOf(store)).rejects.toMatchObject({ code: 'storage' });
    faults.status = undefined;
    expect(triples(rdf)).toEqual([]);
    faults.isLost = true;
    await expect(store.append(batch)).rejects.toMatchObject({
      code: 'storage',
      message: expect.stringContaining('the batch may be kept'),
    });
    faults.isLost = false;
    expect(await store.append(batch)).toBe(1);
    expect(await batchesOf(store)).toHaveLength(1);
    await store.close();
  });

  it('refuse a batch that is too large for the store, so that it is split', async () => {
    const { faults, address } = await serveOxigraph();
    const store = await openSparqlFacts(address);
    const appended = store.append({ at, changes: [change('add', 'x', 'r', 'y')] });
    faults.status = 413;
    await expect(appended).rejects.toMatchObject({ code: 'data', hint: expect.stringContaining('Split') });
    await store.close();
  });

  it('are refused if two writers had one epoch, if the log is of another kind, or was made anew', async () => {
    const { rdf, address } = await serveOxigraph();
    const store = await openSparqlFacts(address);
    const batch = { at, changes: [change('add', 'x', 'r', 'y')] };
    rdf.update('INSERT DATA { GRAPH <urn:fuzzqe:log> { <urn:t> <urn:fuzzqe:log:tokenOf> 1 } }');
    await expect(store.append(batch)).rejects.toMatchObject({
      message: 'facts: expected one writer of epoch 1, got 2',
    });
    rdf.update('DROP GRAPH <urn:fuzzqe:log>');
    await expect(store.append(batch)).rejects.toMatchObject({
      message: 'facts: expected one store of format 1 in <urn:fuzzqe:log>, got 0',
    });
    const other = await openSparqlFacts(address);
    await expect(store.append(batch)).rejects.toMatchObject({
      message: `facts: expected the store ${store.id}, got ${other.id}`,
    });
    rdf.update(
      'DELETE WHERE { GRAPH <urn:fuzzqe:log> { ?s <urn:fuzzqe:log:format> ?f } }; INSERT DATA { GRAPH <urn:fuzzqe:log> { <urn:fuzzqe:store> <urn:fuzzqe:log:format> 2 } }',
    );
    await expect(openSparqlFacts(address)).rejects.toMatchObject({
      message: expect.stringContaining('got format 2'),
    });
  });

  it('send user and password, or headers, and never say them', async () => {
    const { asked, address, faults, port } = await serveOxigraph();
    const secret = 'never-to-be-seen';
    const named = address.replace('//', `//Ann:${secret}%40@`);
    await openSparqlFacts(named);
    expect(asked[0]).toBe(`/update Basic ${Buffer.from(`Ann:${secret}@`).toString('base64')}`);
    await openSparqlFacts(address.replace('/query', '/repositories/kg'), {
      headers: { authorization: 'Bearer t' },
    });
    expect(asked.at(-2)).toBe('/repositories/kg/statements Bearer t');
    await openSparqlFacts(`${address.replace('/query', '/ds')}?update=/ds/put&x=1`);
    expect(asked.slice(-2)).toEqual(['/ds/put', '/ds?x=1']);
    faults.status = 401;
    for (const [bad, code] of [
      [named, 'storage'],
      [named.replace(`:${port}`, ':1'), 'storage'],
      [named.replace('sparql+', ''), 'usage'],
      [`${named}?update=http://other/update`, 'usage'],
      [`${named}?graph=none`, 'usage'],
      [named.replace('%40', '%'), 'usage'],
    ]) {
      const error = await openSparqlFacts(bad!).catch((cause: unknown) => cause);
      expect(error).toMatchObject({ name: 'FuzzError', code });
      expect(String(error)).not.toContain(secret);
    }
  });

  it('give up a store that falls silent', async () => {
    const silent = createServer(() => {});
    servers.push(silent);
    await new Promise<void>((ready) => silent.listen(0, '127.0.0.1', ready));
    const { port } = silent.address() as AddressInfo;
    await expect(
      openSparqlFacts(`sparql+http://127.0.0.1:${port}/query`, { timeout: 50 }),
    ).rejects.toMatchObject({
      code: 'storage',
      passing: true,
      message: expect.stringContaining('no byte for 50 ms'),
    });
  });
});
