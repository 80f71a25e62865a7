import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FuzzError } from '@fuzzqe/core';
import type { Engine } from '@fuzzqe/engine';
import { type ApiOptions, createApp } from '@fuzzqe/engine/api';
import { getRequestListener } from '@hono/node-server';

/** What a server needs. */
export interface ServerOptions {
  readonly engine: Engine;
  /** 0 takes any free port. Default 8080. */
  readonly port?: number;
  /** Default 127.0.0.1: this machine only. */
  readonly host?: string;
  readonly api?: ApiOptions;
  /** How long `close` waits for requests under way before it cuts them off, in milliseconds. Default 10 000. */
  readonly drainTimeout?: number;
}

/** A server that listens. */
export interface RunningServer {
  readonly port: number;
  /** `http://127.0.0.1:8080` */
  readonly url: string;
  /** Takes no more requests, lets those under way finish, and closes the engine. */
  close(): Promise<void>;
}

/**
 * Serves an engine over HTTP; every graph is open before the first request is taken.
 *
 * @throws FuzzError `runtime`: the port or the address cannot be used, or a graph cannot be opened.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { engine, port = 8080, host = '127.0.0.1', api = {}, drainTimeout = 10_000 } = options;
  await engine.warmUp();
  const app = createApp(engine, api);
  const server = createServer(getRequestListener((request) => app.fetch(request)));
  const address = await new Promise<AddressInfo>((resolve, reject) => {
    server.once('error', (cause) => reject(listenFailed(cause, port, host)));
    server.listen(port, host, () => {
      const bound = server.address();
      if (bound === null || typeof bound === 'string') reject(listenFailed(undefined, port, host));
      else resolve(bound);
    });
  });
  let closing: Promise<void> | undefined;
  const shutDown = async (): Promise<void> => {
    const drained = new Promise<void>((resolve) => server.close(() => resolve()));
    // A connection whose last answer was sent stays open for the next request; nobody will take that.
    const sweep = setInterval(() => server.closeIdleConnections(), 20);
    const cutOff = setTimeout(() => server.closeAllConnections(), drainTimeout);
    await drained;
    clearInterval(sweep);
    clearTimeout(cutOff);
    await engine.close();
  };
  const shownHost = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    port: address.port,
    url: `http://${shownHost}:${address.port}`,
    close() {
      closing ??= shutDown();
      return closing;
    },
  };
}

function listenFailed(cause: unknown, port: number, host: string): FuzzError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  switch (code) {
    case 'EADDRINUSE':
      return new FuzzError('runtime', `port ${port} on ${host} is in use`, {
        hint: `Choose another with --port ${port + 1}, or any free one with --port 0.`,
        cause,
      });
    case 'EACCES':
      return new FuzzError('runtime', `port ${port} on ${host} is not allowed for this user`, {
        hint: 'Choose a port above 1023 with --port.',
        cause,
      });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new FuzzError('runtime', `${host} is no address of this machine`, {
        hint: 'Choose one with --host: 127.0.0.1 for this machine only, 0.0.0.0 for all.',
        cause,
      });
    default:
      return new FuzzError('runtime', `cannot listen on ${host}:${port}: ${cause}`, { cause });
  }
}
