import type { Readable, Writable } from 'node:stream';
import { FuzzError, messageOf } from '@fuzzqe/core';
import type { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { messageLines } from './message-lines.ts';

/** A server that speaks on the standard streams of this process. */
export interface McpConnection {
  /**
   * Resolves when the client has closed its end, or `close` was called.
   *
   * @throws FuzzError `runtime`: it was given up, such as for a line of more than 10 MiB.
   */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** The two ends that a server speaks on. */
export interface McpStreams {
  readonly input: Readable;
  readonly output: Writable;
}

/**
 * Serves the client that started this process: requests on standard input, nothing but answers on standard output.
 *
 * @param create makes the server of the connection.
 * @param onError hears of lines that are no messages, which are answered with an error, and of why a connection is given up.
 * @param streams default: the standard ones of this process.
 * @example
 * serveMcpStdio(() => createMcpServer(models), console.error);
 */
export function serveMcpStdio(
  create: () => McpServer,
  onError: (error: unknown) => void = () => {},
  { input, output }: McpStreams = { input: process.stdin, output: process.stdout },
): McpConnection {
  let lastError: unknown;
  const onerror = (error: unknown): void => {
    lastError = error;
    onError(error);
  };
  const lines = messageLines(output, onError);
  const wire = new StdioServerTransport(lines, output);
  const connection = serveStdio(create, { transport: wire, onerror });
  let closing: Promise<void> | undefined;
  let settle = (): void => {};
  let giveUp = (_reason: FuzzError): void => {};
  const closed = new Promise<void>((resolve, reject) => {
    settle = resolve;
    giveUp = reject;
  });
  // Anyone who does not ask for its end is told by `onError`.
  closed.catch(() => undefined);
  const stopReading = (): void => {
    input.unpipe(lines);
    // It would keep the process.
    input.pause();
    settle();
  };
  const close = (): Promise<void> => (closing ??= connection.close().finally(stopReading));
  const { onclose } = wire;
  wire.onclose = () => {
    onclose?.();
    // The client has gone, at either end; else the transport has given up, and nothing more would be heard of it.
    const hasGone = input.readableEnded || input.destroyed || output.destroyed || !output.writable;
    if (closing === undefined && !hasGone)
      giveUp(
        new FuzzError('runtime', `the connection was given up: ${messageOf(lastError)}`, {
          cause: lastError,
        }),
      );
    void close();
  };
  input.on('error', onerror);
  input.once('close', () => lines.end());
  // Once every line that came is answered or passed on.
  for (const event of ['end', 'close']) lines.once(event, close);
  input.pipe(lines);
  return { closed, close };
}
