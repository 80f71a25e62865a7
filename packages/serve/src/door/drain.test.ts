import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { createModelRegistry } from '@fuzzqe/api';
import { describe, expect, it } from 'vitest';
import type { Connections } from '../overload/connections.ts';
import { startServer } from '../server.ts';
import { drain } from './drain.ts';
import { backlog } from './listen.ts';

/** What the system holds of a line: less than a server asks for where its own bound is lower. */
function longestLine(): number {
  if (process.platform !== 'linux') return 128;
  return Math.min(backlog, Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8')));
}

/** Asks for health on a connection of its own; gives all that came back. */
function ask(port: number): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n');
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', ({ message }) => resolve(message));
    socket.on('close', () => resolve(text));
  });
}

describe('drain', () => {
  it('answers every connection that waits in the line of the system when the server is to end', async () => {
    const server = await startServer({ models: createModelRegistry([]), port: 0, closeNotice: 100 });
    // The system takes these before this process has another turn, of which each lets one in.
    const waiting = Array.from({ length: Math.min(2600, longestLine()) }, () => ask(server.port));
    await server.close();
    const answers = await Promise.all(waiting);
    expect(answers.filter((answer) => !answer.startsWith('HTTP/1.1 200'))).toEqual([]);
  });

  it('ends idle connections once their clients were told, and requests under way no sooner than they may take from then on', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo; // of TCP
    const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
    const client = connect(port, '127.0.0.1');
    client.on('error', () => undefined);
    const socket = await accepted;
    const first: Record<string, number> = {};
    const note = (what: string) => (): void => {
      first[what] ??= performance.now();
    };
    const connections = {
      opened: 1,
      announceClose: note('told'),
      endIdle: note('idle'),
      endIncomplete: note('incomplete'),
      endAll() {
        note('all')();
        socket.destroy();
      },
    } as unknown as Connections; // all that a drain asks of them
    await drain(server, connections, { shutdownDelay: 0, closeNotice: 60, drainTimeout: 60 });
    // Timers may be a little early.
    expect(first['idle']! - first['told']!).toBeGreaterThanOrEqual(59);
    expect(first['all']! - first['told']!).toBeGreaterThanOrEqual(119);
  });
});
