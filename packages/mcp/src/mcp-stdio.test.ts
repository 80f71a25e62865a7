import { PassThrough } from 'node:stream';
import { openEngine } from '@fuzzqe/engine';
import { createModelRegistry } from '@fuzzqe/engine/api';
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

it('passes over what is no message, goes on, and ends with its client', async () => {
  const { input, errors, closed, models, said } = await connect();
  input.write(`no JSON\n\nnull\n[]\n${hello}\n`);
  await expect.poll(said).toContain('"protocolVersion":"2025-06-18"');
  expect(errors).toHaveLength(2);
  input.write('{"jsonrpc":"2.0","id":7,"method":"ping"}\n');
  await expect.poll(said).toContain('"id":7');
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
