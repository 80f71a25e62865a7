import type { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

/** A server that speaks on the standard streams of this process. */
export interface McpConnection {
  /** Settles when the client has closed its end, or `close` was called. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/**
 * Serves the client that started this process: requests on standard input, nothing but answers on standard output.
 *
 * @param create makes the server of the connection.
 */
export function serveMcpStdio(
  create: () => McpServer,
  onError: (error: unknown) => void = () => {},
): McpConnection {
  const connection = serveStdio(create, { onerror: onError });
  let closing: Promise<void> | undefined;
  let settle = (): void => {};
  const closed = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const close = (): Promise<void> => (closing ??= connection.close().finally(settle));
  for (const event of ['end', 'close']) process.stdin.once(event, close);
  return { closed, close };
}
