import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { standardSchema } from './tools/tool.ts';

/**
 * Calls a tool that does nothing: what the protocol's kit compiles for its first call would hold up others' requests for long.
 *
 * @returns the tool's result, as a client gets it.
 * @throws Error what is wrong with the kit: the first call would say it too.
 */
export async function rehearse(): Promise<unknown> {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'rehearsal', version: '0' }, { capabilities: { tools: {} } });
    const nothing = standardSchema({ type: 'object' });
    server.registerTool('nothing', { inputSchema: nothing, outputSchema: nothing }, async () => ({
      content: [{ type: 'text', text: '' }],
      structuredContent: {},
    }));
    return server;
  });
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'nothing', arguments: {} } };
  const response = await handler.fetch(
    new Request('http://localhost/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify(call),
    }),
  );
  const text = await response.text();
  const [, data] = /^data: (.*)$/m.exec(text) ?? [];
  const { result } = JSON.parse(data ?? text) as { readonly result?: unknown }; // of the protocol
  if (result === undefined) throw new Error(`expected the result of a call, got ${text.slice(0, 500)}`);
  return result;
}
