import { createApp, type RequestSubject } from '@fuzzqe/api';
import { mcpPart } from '@fuzzqe/mcp';
import { inferenceProtocolPart } from '@fuzzqe/serve';
import { sparqlPart } from '@fuzzqe/sparql';
import { parseSyntax } from '@fuzzqe/sparql/syntax';
import { describe, expect, it } from 'vitest';
import { largeEngine } from './large-engine.ts';

const engine = await largeEngine(300);

/** Asks for a name that is misspelt; gives what is said of it, and what the request cost by its subject. */
async function ask(path: string, body: unknown, type: string, options = {}) {
  let subject: RequestSubject | undefined;
  const app = createApp(engine, {
    ...options,
    mount: [
      inferenceProtocolPart(),
      sparqlPart({ parse: async (text) => parseSyntax(text) }),
      mcpPart({ hosts: '*' }),
    ],
    middleware: [
      async (context, next) => {
        await next();
        subject = context.get('subject');
      },
    ],
  });
  const response = await app.request(`http://localhost${path}`, {
    headers: { 'content-type': type, accept: 'application/json, text/event-stream' },
    ...(body === undefined
      ? {}
      : { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { text: await response.text(), cost: subject?.cost };
}

/** What a search of all names costs. */
const cost = (await ask('/v1/entities?q=x', undefined, 'application/json')).cost!;

const { label } = engine.vocabulary.entity(7);
const slip = `${label.slice(0, 3)}${label[4]}${label[3]}${label.slice(5)}`;
const query = `project(#0, ${JSON.stringify(slip)})`;
const tool = (name: string, given: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: given },
});
const json = 'application/json';

describe('a search of names near one that there is not', () => {
  it.each<readonly [path: string, body: unknown, type: string]>([
    ['/v1/query', { query }, json],
    ['/v1/query/relations', { query }, json],
    ['/v1/query/batch', JSON.stringify({ query }), 'application/x-ndjson'],
    [`/v1/entities/${encodeURIComponent(slip)}`, undefined, json],
    [
      '/v2/models/fuzzqe/infer',
      { inputs: [{ name: 'query', datatype: 'BYTES', shape: [1], data: [query] }] },
      json,
    ],
    [
      '/sparql',
      `SELECT ?x { <urn:fuzzqe:entity:${encodeURIComponent(slip)}> <urn:fuzzqe:relation:P0> ?x }`,
      'application/sparql-query',
    ],
    ['/mcp', tool('ask', { query }), json],
    ['/mcp', tool('explain_answer', { query, entity: '#0' }), json],
    ['/mcp', tool('describe_entity', { entity: slip }), json],
  ])('is charged to the request, and left out where it costs too much: %s %o', async (path, body, type) => {
    const offered = label.slice(0, 12);
    const found = await ask(path, body, type);
    expect(found.text).toContain(offered);
    expect(found.cost).toBe(cost);
    const refused = await ask(path, body, type, { costLimit: cost / 2 });
    expect(refused.text).not.toContain(offered);
    expect(refused.cost ?? 0).toBe(0);
  });

  it('is charged as queries are at /v2', async () => {
    const data = ['project(#0, #1)', 'project(#2, #3)'];
    const inputs = [{ name: 'query', datatype: 'BYTES', shape: [2], data }];
    const found = await ask('/v2/models/fuzzqe/infer', { inputs }, json);
    expect(found.cost).toBeGreaterThan(0);
  });
});
