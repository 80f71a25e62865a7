export { type McpPartOptions, mcpPart } from './mcp-part.ts';
export { createMcpServer, type McpOptions } from './mcp-server.ts';
export { type McpConnection, serveMcpStdio } from './mcp-stdio.ts';
