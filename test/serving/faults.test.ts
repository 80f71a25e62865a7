import { createApp } from '@fuzzqe/api';
import { FuzzError } from '@fuzzqe/core';
import type { Engine } from '@fuzzqe/engine';
import { mcpPart } from '@fuzzqe/mcp';
import { inferenceProtocolPart } from '@fuzzqe/serve';
import { sparqlPart } from '@fuzzqe/sparql';
import { parseSyntax } from '@fuzzqe/sparql/syntax';
import { describe, expect, it } from 'vitest';
import { largeEngine } from './large-engine.ts';

const engine = await largeEngine(100);

/** What a door says of an error of the engine: its status, when to come back, its words, and what is heard of it. */
interface Said {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly text: string;
  readonly heard: readonly unknown[];
}

async function ask(error: Error, path: string, body: unknown, type = 'application/json'): Promise<Said> {
  const refuse = (): Promise<never> => Promise.reject(error);
  const failing: Engine = { ...engine, answer: refuse, answerAll: refuse };
  const heard: unknown[] = [];
  const app = createApp(failing, {
    mount: [
      inferenceProtocolPart(),
      sparqlPart({ parse: async (text) => parseSyntax(text) }),
      mcpPart({ hosts: '*' }),
    ],
    onError: (fault) => heard.push(fault),
  });
  const response = await app.request(`http://localhost${path}`, {
    method: 'POST',
    headers: { 'content-type': type, accept: 'application/json, text/event-stream' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, retryAfter: response.headers.get('retry-after'), text, heard };
}

const query = 'project(#0, #0)';
const passes = 'cannot answer at the moment';
const lasts = 'failed to answer';
const sparql = 'SELECT ?x { <urn:fuzzqe:entity:Q0> <urn:fuzzqe:relation:P0> ?x }';
const tensor = { name: 'query', datatype: 'BYTES', shape: [1], data: [query] };
const params = { name: 'ask', arguments: { query } };

describe.each([
  ['lasts', new FuzzError('runtime', 'secret: no such kernel', { cause: new Error('why') }), 500, null],
  ['is of a file', new FuzzError('bundle', 'secret: altered'), 500, null],
  ['nobody expected', new TypeError('secret: not a function'), 500, null],
  ['passes', new FuzzError('runtime', 'secret: ended', { passing: true, retryAfter: 2 }), 503, '2'],
  ['is of memory', new RangeError('secret: Array buffer allocation failed'), 503, '1'],
] as const)('a fault that %s', (_, error, status, retryAfter) => {
  it.each([
    ['/v1/query', { query }, 'application/json'],
    ['/v2/models/fuzzqe/infer', { inputs: [tensor] }, 'application/json'],
    ['/sparql', sparql, 'application/sparql-query'],
  ] as const)('has its status at %s, and is heard whole', async (path, body, type) => {
    const said = await ask(error, path, body, type);
    expect(said).toMatchObject({ status, retryAfter, heard: [error] });
    expect(said.text).toContain(status === 503 ? passes : lasts);
    expect(said.text).not.toContain('secret');
  });

  it('has its status in the line of a batch', async () => {
    const said = await ask(error, '/v1/query/batch', JSON.stringify({ query }), 'application/x-ndjson');
    expect(JSON.parse(said.text)).toMatchObject({ line: 1, problem: { status } });
    expect(said).toMatchObject({ status: 200, heard: [error] });
  });

  it('is told to assistants in the words of its status', async () => {
    const said = await ask(error, '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    expect(said.text).toContain(status === 503 ? passes : lasts);
    expect(said.text).not.toContain('secret');
    expect(said.heard).toEqual([error]);
  });
});
