import { Agent, createServer as createHttpServer, request } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { type BacklogMonitor, monitorBacklog } from './backlog-monitor.ts';
import { keepConnections } from './connections.ts';

const open: { server: Server; sockets: Socket[] }[] = [];
afterEach(async () => {
  for (const { server, sockets } of open.splice(0)) {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** A server whose watch has a clock by hand, and that holds its loop for so long with each connection. */
async function watched(millisecondsOfTurn: number) {
  let time = 0;
  const server = createServer();
  const sockets: Socket[] = [];
  open.push({ server, sockets });
  const line: BacklogMonitor = monitorBacklog(server, { now: () => time, grace: 300 });
  const seen = { others: 0, own: 0, late: 0 };
  server.on('connection', (socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    time += millisecondsOfTurn;
    if (line.take(socket)) seen.own += 1;
    else {
      seen.others += 1;
      if (line.isLate) seen.late += 1;
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // of TCP
  /** That many clients connect at once, and are taken. */
  const flood = async (count: number): Promise<void> => {
    const before = seen.others;
    for (let i = 0; i < count; i += 1) sockets.push(connect(port, '127.0.0.1'));
    while (seen.others < before + count) await turn();
    // Its own connection may be the last.
    await wait(20);
  };
  return { line, seen, flood };
}

it('is a connection of its own that says how long others have waited', async () => {
  const { line, seen, flood } = await watched(10);
  await flood(100);
  // After 50 ms of turns that each took one, and again and again until none waits.
  expect(seen.own).toBeGreaterThan(0);
  expect(seen.own).toBeLessThan(6);
  // A second of it, here less, is a burst that is taken whole; what came after that had waited for longer.
  expect(seen.late).toBeGreaterThan(30);
  expect(seen.late).toBeLessThan(80);
  // Nobody waits any more.
  expect(line.isLate).toBe(false);
  const { late } = seen;
  await flood(3);
  expect(seen.late).toBe(late);
});

it('has nobody late where turns are short, however many connect', async () => {
  const { seen, flood } = await watched(0.1);
  await flood(300);
  expect(seen).toEqual({ others: 300, own: 0, late: 0 });
});

it('has no connection where none waits', async () => {
  const { seen, flood } = await watched(100);
  for (let i = 0; i < 10; i += 1) await flood(1);
  expect(seen).toEqual({ others: 10, own: 0, late: 0 });
});

it('has the first request of a connection refused that came late, and no other', async () => {
  const server = createHttpServer();
  const late: boolean[] = [];
  let isLate = true;
  const connections = keepConnections(server, {
    maxConnections: 4,
    onRefused() {},
    backlog: {
      take: () => false,
      get isLate() {
        return isLate;
      },
    },
  });
  server.on('request', (incoming, response) => {
    connections.begin(incoming, response);
    late.push(connections.isLate(incoming));
    response.end();
  });
  open.push({ server, sockets: [] });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // of TCP
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = (by: Agent | false): Promise<void> =>
    new Promise((resolve, reject) => {
      const sent = request({ port, host: '127.0.0.1', agent: by }, (response) => {
        response.on('end', resolve);
        response.resume();
      });
      sent.on('error', reject);
      sent.end();
    });
  await ask(agent);
  isLate = false;
  await ask(agent);
  await ask(false);
  agent.destroy();
  expect(late).toEqual([true, false, false]);
});
