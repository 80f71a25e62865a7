import { createApp } from '@fuzzqe/api';
import { openEngine } from '@fuzzqe/engine';
import { memoryBundle, referenceSessions } from '@fuzzqe/engine/testing';
import { expect, it } from 'vitest';
import { mcpPart } from './index.ts';

it('reads a body as strictly as other bodies: names of keys, each once, in UTF-8', async () => {
  const { source, config, parameters } = await memoryBundle();
  const engine = await openEngine({ source, sessions: referenceSessions(config, parameters) });
  const app = createApp(engine, { mount: [mcpPart()] });
  const post = async (text: string): Promise<Response> =>
    app.request('http://localhost/mcp', {
      method: 'POST',
      headers: {
        host: 'localhost',
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: text,
    });
  const withNames = (count: number): string =>
    JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'ping',
      ...Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 1])),
    });
  const refuse = async (body: string): Promise<unknown> => {
    const response = await post(body);
    const { error } = await response.json();
    return [response.status, error.code, error.message];
  };
  const names = /^body: expected at most 256 names of keys, got more\. Send fewer keys/;
  expect(await refuse(withNames(254))).toEqual([413, -32_000, expect.stringMatching(names)]);
  // Within what may be, the protocol has its say.
  expect(await refuse(withNames(253))).not.toEqual([413, expect.anything(), expect.anything()]);
  // A batch names the same keys again and again.
  const calls = Array.from({ length: 100 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' }));
  expect((await post(JSON.stringify(calls))).status).toBe(200);
  expect(await refuse('{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "ping"}')).toEqual([
    400,
    -32_700,
    expect.stringContaining('body: expected each key once, got "id" twice at $'),
  ]);
  expect(await refuse('')).toEqual([400, -32_700, expect.stringContaining('got an empty body')]);
});
