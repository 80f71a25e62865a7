export { type McpPartOptions, mcpPart } from './mcp-part.ts';
export { createMcpServer, type McpOptions } from './mcp-server.ts';
export { type McpConnection, type McpStreams, serveMcpStdio } from './mcp-stdio.ts';
