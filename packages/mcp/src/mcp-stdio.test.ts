import { PassThrough } from 'node:stream';
import { createModelRegistry } from '@fuzzqe/api';
import { messageOf } from '@fuzzqe/core';
import { openEngine } from '@fuzzqe/engine';
import { memoryBundle, referenceSessions } from '@fuzzqe/engine/testing';
import { expect, it } from 'vitest';
import { createMcpServer } from './mcp-server.ts';
import { serveMcpStdio } from './mcp-stdio.ts';

async function connect() {
  const { source, config, parameters } = await memoryBundle();
  const engine = await openEngine({ source, sessions: referenceSessions(config, parameters) });
  const models = createModelRegistry();
  await models.put(engine.manifest.name, engine);
  const [input, output] = [new PassThrough(), new PassThrough()];
  const errors: unknown[] = [];
  const { closed } = serveMcpStdio(
    () => createMcpServer(models),
    (error) => errors.push(error),
    { input, output },
  );
  let said = '';
  output.on('data', (chunk) => {
    said += chunk;
  });
  return { input, output, errors, closed, models, said: () => said };
}

const hello = JSON.stringify({
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
});

/** What was answered to lines that are no messages, in their order. */
const refusedIn = (said: string): unknown[] =>
  said
    .split('\n')
    .filter((line) => line.includes('"error"'))
    .map((line) => JSON.parse(line))
    .map(({ id, error: { code, message } }) => [id, code, message]);

const sending = ' Send each message as one line of UTF-8 JSON.';

it('answers what is no message with an error, goes on, and ends with its client', async () => {
  const { input, errors, closed, models, said } = await connect();
  input.write(`no JSON\n\nnull\n[]\n${hello}\n`);
  await expect.poll(said).toContain('"protocolVersion":"2025-06-18"');
  expect(refusedIn(said())).toEqual([
    [null, -32_700, expect.stringMatching(/^line: expected JSON, got .*one line of UTF-8 JSON\.$/)],
    [null, -32_600, `line: expected a message of JSON-RPC 2.0, got null.${sending}`],
    [
      null,
      -32_600,
      `line: expected a message of JSON-RPC 2.0, got a batch, which is taken over HTTP alone.${sending}`,
    ],
  ]);
  expect(errors.map(messageOf)).toEqual([
    expect.stringMatching(/^line: expected JSON, got /),
    'line: expected a message of JSON-RPC 2.0, got null',
    expect.stringContaining('got a batch'),
  ]);
  input.write('{"jsonrpc":"2.0","id":7,"method":"ping"}\n');
  await expect.poll(said).toContain('"id":7');
  input.end();
  await closed;
  await models.close();
});

it.each([
  ['{"jsonrpc":"2.0","id":2}', 2, -32_600, 'got nothing as its method'],
  ['{"jsonrpc":"2.0","id":"a","method":1}', 'a', -32_600, 'got 1 as its method'],
  ['{"id":3,"method":"ping"}', 3, -32_600, 'got nothing as its jsonrpc'],
  ['{"jsonrpc":"2.0","id":null,"method":"ping"}', null, -32_600, 'got null as its id'],
  ['{"jsonrpc":"2.0","id":4,"method":"ping","params":[1]}', 4, -32_600, 'as its params'],
  ['{"jsonrpc":"2.0","id":5,"method":"ping","other":1}', 5, -32_600, 'got one with other keys'],
  ['{"jsonrpc":"2.0","id":6,"id":7,"method":"ping"}', null, -32_700, 'got "id" twice at $'],
  ['"\xff', null, -32_700, 'expected UTF-8'],
])('answers %s though its sender has gone after it', async (line, id, code, message) => {
  const { input, closed, models, said } = await connect();
  input.end(Buffer.from(`${line}\n`, 'latin1'));
  await closed;
  expect(refusedIn(said())).toEqual([[id, code, expect.stringContaining(message)]]);
  await models.close();
});

it('answers no response, reads lines in pieces and behind a mark, and what is nested deep', async () => {
  const { input, errors, closed, models, said } = await connect();
  input.write('{"jsonrpc":"2.0","id":1,"result":3}\n');
  await expect.poll(() => errors).toHaveLength(1);
  input.write(`\uFEFF${hello.slice(0, 9)}`);
  input.write(`${hello.slice(9)}\r\n`);
  await expect.poll(said).toContain('"protocolVersion":"2025-06-18"');
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
  input.write(`{"jsonrpc":"2.0","id":8,"method":"ping","params":{"a":${deep}}}\n`);
  input.write('{"jsonrpc":"2.0","id":9,"method":"ping"}\n');
  await expect.poll(said).toContain('"id":9');
  expect(refusedIn(said())).toEqual([]);
  input.end();
  await closed;
  await models.close();
});

it('says why it gives a connection up, whose end its client would wait for', async () => {
  const { input, errors, closed, models } = await connect();
  input.write(`${hello}\n`);
  const refused = expect(closed).rejects.toMatchObject({
    code: 'runtime',
    message: expect.stringMatching(/^the connection was given up: .*maximum size/),
  });
  for (let i = 0; i < 11; i += 1) input.write('x'.repeat(2 ** 20));
  await refused;
  expect(errors.at(-1)).toBeInstanceOf(Error);
  await models.close();
});

it('ends where nobody reads its answers any more', async () => {
  const { input, output, closed, models } = await connect();
  input.write(`${hello}\n`);
  output.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  await closed;
  await models.close();
});
