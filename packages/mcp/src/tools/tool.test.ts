import { createModelRegistry } from '@fuzzqe/api';
import { FuzzError, schema } from '@fuzzqe/core';
import type { Engine } from '@fuzzqe/engine';
import type { CallToolResult, McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it, vi } from 'vitest';
import { type CallLimits, defineTool } from './tool.ts';

const close = vi.fn(async () => undefined);
// All that a registry and this tool ask of an engine.
const engine = { ready: true, close } as unknown as Engine;

/** A tool that does this, offered on a server; gives what calls it, and what failed. */
async function offered(run: (limits: CallLimits) => Promise<string>) {
  const models = createModelRegistry(['m']);
  await models.put('m', engine);
  const failures: unknown[] = [];
  let call = (_: unknown, __: unknown): Promise<CallToolResult> => Promise.reject(new Error('not offered'));
  const registerTool = (_: string, __: unknown, handler: typeof call): void => {
    call = handler;
  };
  defineTool({
    name: 'try',
    title: 'Try',
    description: 'Tries.',
    input: { text: schema.string },
    help: { text: 'A text.' },
    output: schema.object({}),
    run: async (_, __, limits) => ({ structured: {}, text: await run(limits) }),
  })({ registerTool } as unknown as McpServer, {
    models,
    timeout: 1000,
    caller: 'ann',
    costLimit: 1,
    onCost: () => undefined,
    onError: (error) => failures.push(error),
  });
  const { signal } = new AbortController();
  return { models, failures, call: () => call({ text: 'x' }, { mcpReq: { signal } }) };
}

describe('a call of a tool', () => {
  it('has until its timeout, and belongs to its caller', async () => {
    const began = performance.now();
    let limits: CallLimits | undefined;
    const { call } = await offered(async (given) => {
      limits = given;
      return 'done';
    });
    expect(await call()).toMatchObject({ content: [{ type: 'text', text: 'done' }] });
    expect(limits!.time.caller).toBe('ann');
    expect(limits!.time.deadline).toBeGreaterThanOrEqual(began + 1000);
    expect(limits!.time.deadline).toBeLessThanOrEqual(performance.now() + 1000);
  });

  it('lets go of its model, whatever came of it', async () => {
    for (const run of [async () => 'done', () => Promise.reject<string>(new Error('it failed'))]) {
      close.mockClear();
      const { models, call } = await offered(run);
      await call();
      void models.remove('m');
      expect(close).toHaveBeenCalledTimes(1);
    }
  });

  it.each([
    ['lasts', new FuzzError('bundle', '/srv/secret/facts.bin: altered')],
    ['passes by itself', new FuzzError('runtime', 'postgres://db.internal: gone', { passing: true })],
    ['nobody foresaw', new TypeError('secret is undefined')],
  ])('says nothing of what the server failed by that %s, which whoever runs it hears', async (_, error) => {
    const { call, failures } = await offered(() => Promise.reject(error));
    const { isError, content } = await call();
    expect(isError).toBe(true);
    expect(JSON.stringify(content)).not.toMatch(/secret|internal/);
    expect(failures).toEqual([error]);
  });

  it('says what was wrong with what was asked, which is no failure', async () => {
    const asked = new FuzzError('range', 'k: expected 1 or more', { path: '$.k', hint: 'Ask for more.' });
    const { call, failures } = await offered(() => Promise.reject(asked));
    expect(JSON.stringify(await call())).toMatch(/expected 1 or more.*Ask for more/);
    expect(failures).toEqual([]);
  });
});
