import { createApp } from '@fuzzqe/api';
import { openEngine } from '@fuzzqe/engine';
import { memoryBundle, referenceSessions } from '@fuzzqe/engine/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { expect, it, vi } from 'vitest';
import { mcpPart } from './index.ts';
import { rehearse } from './rehearse.ts';

it('has called a tool before anybody does', async () => {
  const { source, config, parameters } = await memoryBundle();
  const engine = await openEngine({ source, sessions: referenceSessions(config, parameters) });
  expect(await rehearse()).toMatchObject({ content: [{ type: 'text', text: '' }], structuredContent: {} });
  const offered = vi.spyOn(McpServer.prototype, 'registerTool');
  try {
    createApp(engine);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(offered).not.toHaveBeenCalled();
    createApp(engine, { mount: [mcpPart()] });
    await vi.waitFor(() => expect(offered).toHaveBeenCalledTimes(1));
    expect(offered.mock.calls[0]![0]).toBe('nothing');
    // What is wrong with the kit is said.
    offered.mockImplementationOnce(() => {
      throw new Error('broken');
    });
    await expect(rehearse()).rejects.toThrow('expected the result of a call, got');
  } finally {
    offered.mockRestore();
  }
});
