import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it } from 'vitest';
import { command, scratchBundle } from './scratch-bundle.ts';

const { bundle } = scratchBundle('mcp');

/** The command by itself, and what it says. */
interface Running {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly said: { out: string; notes: string };
  readonly ended: Promise<number | string>;
}

function start(...args: readonly string[]): Running {
  const child = spawn(process.execPath, [command, 'mcp', bundle, ...args], { stdio: 'pipe' });
  const said = { out: '', notes: '' };
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    said.out += part;
  });
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    said.notes += part;
  });
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  return { child, said, ended };
}

async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 3000 && !condition(); i++) await new Promise((resolve) => setTimeout(resolve, 50));
  expect(condition()).toBe(true);
}

/** What an assistant does, with the client of the official kit. */
async function converse(client: Client): Promise<void> {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain('ask');
  const { contents } = await client.readResource({ uri: 'fuzzqe://notation' });
  const [, query] = /^- 2in: `(.*)`$/m.exec((contents[0] as { text: string }).text)!;
  const asked = await client.callTool({ name: 'ask', arguments: { query: query!, k: 3, minDegree: 0 } });
  expect(asked).toMatchObject({ structuredContent: { structure: '2in', query, answers: { length: 3 } } });
  expect(asked.content).toMatchObject([{ type: 'text', text: expect.stringContaining(`Query: ${query}`) }]);
  const refused = await client.callTool({ name: 'ask', arguments: { query: 'project(nothing, nobody)' } });
  expect(refused).toMatchObject({ isError: true });
  const { messages } = await client.getPrompt({ name: 'answer_question', arguments: { question: 'Why?' } });
  expect(messages).toHaveLength(1);
}

describe('fuzzqe mcp', { timeout: 240_000 }, () => {
  it.each(['legacy', 'auto'] as const)('serves a client of the %s protocol that starts it', async (mode) => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [command, 'mcp', bundle] }),
    );
    await converse(client);
    await client.close();
  });

  it('lets the client that starts it change facts of a folder with --write, and the facts stay', async () => {
    const facts = await mkdtemp(join(tmpdir(), 'fuzzqe-mcp-facts-'));
    const connect = async (...args: readonly string[]): Promise<Client> => {
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
      const given = [command, 'mcp', bundle, '--facts', facts, ...args];
      await client.connect(new StdioClientTransport({ command: process.execPath, args: given }));
      return client;
    };
    const writer = await connect('--write');
    const found = await writer.callTool({ name: 'find_entities', arguments: { limit: 2 } });
    const [head, tail] = (found.structuredContent as { results: { name: string }[] }).results;
    const relations = await writer.callTool({ name: 'find_relations', arguments: { limit: 1 } });
    const [relation] = (relations.structuredContent as { results: { name: string }[] }).results;
    const fact = { head: head!.name, relation: relation!.name, tail: tail!.name };
    const removed = await writer.callTool({ name: 'remove_facts', arguments: { facts: [fact] } });
    expect(removed).toMatchObject({ structuredContent: { epoch: 1 } });
    const added = await writer.callTool({ name: 'add_facts', arguments: { facts: [fact] } });
    expect(added).toMatchObject({ structuredContent: { epoch: 2, added: 1 } });
    const wrong = { ...fact, head: `${fact.head}x` };
    const refused = await writer.callTool({ name: 'add_facts', arguments: { facts: [wrong] } });
    expect(refused).toMatchObject({ isError: true });
    await writer.close();
    const reader = await connect();
    expect((await reader.listTools()).tools.map(({ name }) => name)).not.toContain('add_facts');
    const query = `project(${fact.relation}, ${fact.head})`;
    const asked = await reader.callTool({ name: 'ask', arguments: { query, k: 20 } });
    const { answers } = asked.structuredContent as { answers: { name: string; state: string }[] };
    expect(answers.filter(({ state }) => state === 'recorded').map(({ name }) => name)).toContain(fact.tail);
    await reader.close();
    await rm(facts, { recursive: true });
  });

  it.each([['--write'], ['--write', '--http', '--facts', 'nowhere']])('refuses %j', async (...args) => {
    const { said, ended } = start(...args);
    expect(await ended).toBe(2);
    expect(said.notes).toContain('--write: expected --facts, and no --http');
  });

  it('writes nothing but the protocol, whatever it reads, and ends with its client', async () => {
    const { child, said, ended } = start();
    const hello = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    };
    const lines = [
      'nonsense',
      JSON.stringify(hello),
      '{"jsonrpc":"2.0","method":"notifications/initialized"}',
      '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask","arguments":{"query":"#1"}}}',
      '{"jsonrpc":"2.0","id":3,"method":"no/such"}',
      '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"ask","arguments":{"query":"("}}}',
    ];
    child.stdin.write(`${lines.join('\n')}\n`);
    await until(() => /"id":4/.test(said.out) && /"id":2/.test(said.out));
    child.stdin.end();
    expect(await ended).toBe(0);
    const answers = said.out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { jsonrpc: string; id: number | null });
    expect(answers.every(({ jsonrpc }) => jsonrpc === '2.0')).toBe(true);
    expect(answers.map(({ id }) => id).sort()).toEqual([1, 2, 3, 4, null]);
    // Of what is no message, nobody knows the id.
    expect(answers.find(({ id }) => id === null)).toMatchObject({ error: { code: -32_700 } });
    expect(answers.find(({ id }) => id === 3)).toHaveProperty('error');
    expect(answers.find(({ id }) => id === 4)).toMatchObject({ result: { isError: true } });
    expect(said.notes).toMatch(/^on standard input: line: expected JSON.*\n$/);
  });

  it('ends when it is told to', async () => {
    const { child, said, ended } = start();
    child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    await until(() => said.out !== '');
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });

  it('serves clients over HTTP, and this machine only', async () => {
    const { child, said, ended } = start('--http', '--port', '0');
    await until(() => said.notes.includes('/mcp'));
    const [url] = /http:\S+\/mcp/.exec(said.notes)!;
    for (const mode of ['legacy', 'auto'] as const) {
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
      await client.connect(new StreamableHTTPClientTransport(new URL(url!)));
      await converse(client);
      await client.close();
    }
    const rebound = await fetch(url!, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'https://evil.example' },
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    });
    expect(rebound.status).toBe(403);
    const beside = await fetch(new URL('/v1/relations', url!), {
      headers: { origin: 'https://evil.example' },
    });
    expect(beside.status).toBe(403);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect(said.out).toBe('');
  });
});
