import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FuzzError } from '@fuzzqe/core';

/** Connections that may wait for Node, which takes one in a turn of its loop; beyond them clients try again after a second, or after seven. */
export const backlog = 4096;

/**
 * Binds a server to a port.
 *
 * @throws FuzzError `runtime`, the port or the address cannot be used.
 */
export function listen(server: Server, port: number, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    const fail = (cause?: unknown): void => reject(listenFailed(cause, port, host));
    server.once('error', fail);
    try {
      // An IPv6 address may have the brackets that it has in an address of the web.
      server.listen(port, host.replace(/^\[(.*)\]$/, '$1'), backlog, () => {
        const bound = server.address();
        if (bound === null || typeof bound === 'string') fail();
        else resolve(bound);
      });
    } catch (cause) {
      fail(cause);
    }
  });
}

/** The address as it stands in a browser: `http://127.0.0.1:8080`. */
export function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

function listenFailed(cause: unknown, port: number, host: string): FuzzError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  switch (code) {
    case 'EADDRINUSE':
      return new FuzzError('runtime', `port ${port} on ${host} is in use`, {
        hint: `Choose another port: ${port < 65_535 ? port + 1 : 8080}, say, or 0 for any free one.`,
        cause,
      });
    case 'EACCES':
      return new FuzzError('runtime', `port ${port} on ${host} is not allowed for this user`, {
        hint: 'Choose a port above 1023.',
        cause,
      });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new FuzzError('runtime', `${host} is no address of this machine`, {
        hint: 'Choose another host: 127.0.0.1 for this machine only, 0.0.0.0 for all.',
        cause,
      });
    default:
      return new FuzzError('runtime', `cannot listen on ${host}:${port}: ${cause}`, { cause });
  }
}
