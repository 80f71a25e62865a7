import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Connections, keepConnections } from './connections.ts';

interface Served {
  readonly server: Server;
  readonly connections: Connections;
  readonly port: number;
  /** The most requests of one connection that were worked on at once. */
  readonly mostAtOnce: () => number;
  readonly begun: () => number;
  /** Requests of all connections that are worked on now. */
  readonly underWay: () => number;
}

const servers: Server[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

/** A server that answers each request with its path and body, a moment after `held` lets it. */
async function serve({
  gated = true,
  maxConnections = 100,
  delay = 1,
  held = Promise.resolve(),
} = {}): Promise<Served> {
  const server = createServer();
  servers.push(server);
  Object.assign(server, { httpAllowHalfOpen: true });
  const plain = { begin: () => true } as unknown as Connections; // the control: a server as it is
  const connections = gated ? keepConnections(server, { maxConnections, onRefused: () => {} }) : plain;
  const underWay = new Map<Socket, number>();
  let most = 0;
  let begun = 0;
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    begun++;
    if (!connections.begin(request, response)) {
      response.writeHead(503).end();
      return;
    }
    const now = (underWay.get(request.socket) ?? 0) + 1;
    underWay.set(request.socket, now);
    most = Math.max(most, now);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('close', () => underWay.set(request.socket, underWay.get(request.socket)! - 1));
    const answer = (): void => {
      const end = (): unknown => response.end(`${request.url} ${Buffer.concat(chunks).toString()}`);
      void held.then(() => setTimeout(end, delay));
    };
    if (request.url === '/early') answer();
    else request.on('end', answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    server,
    connections,
    port,
    mostAtOnce: () => most,
    begun: () => begun,
    underWay: () => [...underWay.values()].reduce((sum, each) => sum + each, 0),
  };
}

/** Sends bytes in pieces and gives what came back when there are so many answers, or at the end. */
async function exchange(
  port: number,
  pieces: readonly (string | Buffer)[],
  answers: number,
  { halfClose = false } = {},
): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.setNoDelay(true);
  let got = '';
  const done = new Promise<void>((resolve) => {
    socket.on('data', (chunk) => {
      got += chunk.toString('latin1');
      if (got.split('HTTP/1.1 200').length - 1 === answers) resolve();
    });
    socket.on('close', () => resolve());
    socket.on('error', () => resolve());
  });
  for (const piece of pieces) {
    socket.write(piece);
    if (pieces.length > 1) await wait(0);
  }
  if (halfClose) socket.end();
  await done;
  socket.destroy();
  return got;
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const post = (path: string, body: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const chunked = (path: string, parts: readonly string[]): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${parts
    .map((part) => `${part.length.toString(16)}\r\n${part}\r\n`)
    .join('')}0\r\n\r\n`;
/** Requests of every form, of which bodies hold what ends headers. */
const mixed = [
  get('/1'),
  post('/2', 'two'),
  post('/3', ''),
  chunked('/4', ['four', 'more']),
  get('/5'),
  post('/6', 'x\r\n\r\ny'),
  chunked('/7', ['a\r\n\r\nb']),
  get('/8'),
];
const mixedPaths = ['/1', '/2', '/3', '/4', '/5', '/6', '/7', '/8'];
const pathsOf = (text: string): string[] => [...text.matchAll(/\/[1-8](?= )/g)].map(([path]) => path);

describe('requests that are sent before the answer', () => {
  it('are worked on one after the other, and answered in order', async () => {
    const { port, mostAtOnce, begun } = await serve();
    const got = await exchange(port, [mixed.join('')], mixed.length);
    expect(pathsOf(got)).toEqual(mixedPaths);
    expect(got).toContain('/4 fourmore');
    expect(got).toContain('/6 x\r\n\r\ny');
    expect({ most: mostAtOnce(), begun: begun() }).toEqual({ most: 1, begun: 8 });
  });

  it('would be worked on all at once without', async () => {
    const { port, mostAtOnce } = await serve({ gated: false });
    await exchange(port, [mixed.join('')], mixed.length);
    expect(mostAtOnce()).toBe(mixed.length);
  });

  it('are the same wherever the network cuts them', async () => {
    const { port, mostAtOnce } = await serve({ delay: 0 });
    const bytes = Buffer.from(mixed.join(''));
    const cuts = Array.from({ length: 40 }, (_, i) => 1 + i * 13);
    await Promise.all(
      cuts.map(async (size) => {
        const pieces: Buffer[] = [];
        for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
        expect(pathsOf(await exchange(port, pieces, mixed.length))).toEqual(mixedPaths);
      }),
    );
    expect(mostAtOnce()).toBe(1);
  });

  it('take a few places in all, whatever the number of clients, so that others are answered', async () => {
    const { port, underWay } = await serve({ delay: 10 });
    const attackers = Array.from({ length: 20 }, () => exchange(port, [mixed.join('').repeat(3)], 24));
    await wait(100);
    const most: number[] = [];
    for (let i = 0; i < 5; i++) {
      expect(await exchange(port, [get('/1')], 1)).toContain('/1');
      most.push(underWay());
    }
    expect(Math.max(...most)).toBeLessThanOrEqual(5);
    for (const answer of await Promise.all(attackers)) expect(pathsOf(answer)).toHaveLength(24);
  });

  it('wait until the rest of a body has come whose answer came before it', async () => {
    const { port } = await serve();
    const got = await exchange(port, [`${post('/early', 'e').slice(0, -1)}`, 'e', get('/1')], 2);
    expect(got).toContain('/early');
    expect(pathsOf(got)).toEqual(['/1']);
  });

  it('are refused where their headers end in bare line feeds', async () => {
    const { port, mostAtOnce } = await serve();
    const got = await exchange(port, ['GET /1 HTTP/1.1\nHost: x\n\nGET /2 HTTP/1.1\nHost: x\n\n'], 2);
    expect(pathsOf(got).length).toBeLessThan(2);
    expect(mostAtOnce()).toBeLessThan(2);
  });
});

describe('a client that has ended its side', () => {
  it('gets its answer', async () => {
    const { port } = await serve({ delay: 50 });
    const got = await exchange(port, [post('/2', 'two')], 1, { halfClose: true });
    expect(got).toContain('/2 two');
  });

  it('gets nothing before it by HTTP/1.0, which has no interim responses', async () => {
    const { port } = await serve({ delay: 50 });
    const old = post('/2', 'two').replace('HTTP/1.1', 'HTTP/1.0');
    expect(await exchange(port, [old], 1, { halfClose: true })).toMatch(/^HTTP\/1\.1 200/);
    const present = await exchange(port, [post('/2', 'two')], 1, { halfClose: true });
    expect(present).toMatch(/^HTTP\/1\.1 100/);
  });

  it('is noticed where it is gone', async () => {
    const { server, port } = await serve({ delay: 60_000 });
    const closed = new Promise<void>((resolve) => {
      server.on('request', (_, response) => response.on('close', () => resolve()));
    });
    const socket = connect(port, '127.0.0.1', () => socket.write(get('/1')));
    await new Promise((resolve) => server.once('request', resolve));
    socket.destroy();
    await closed;
  });
});

describe('connections', () => {
  it('give way where there are too many: the one that has waited longest', async () => {
    const { port, connections } = await serve({ maxConnections: 3 });
    const sockets = await Promise.all([1, 2, 3].map(() => openSocket(port)));
    const ends = sockets.map((socket) => new Promise<void>((resolve) => socket.on('close', () => resolve())));
    expect(await exchange(port, [get('/1')], 1)).toContain('/1');
    await ends[0];
    expect(sockets.map((socket) => socket.closed)).toEqual([true, false, false]);
    expect(connections.count).toBeLessThanOrEqual(3);
    for (const socket of sockets) socket.destroy();
  });

  it('beyond the limit are refused where all others have a request under way', async () => {
    let letGo = (): void => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const { port, begun } = await serve({ maxConnections: 2, held });
    const busy = [1, 2].map(() => exchange(port, [get('/1')], 1));
    while (begun() < 2) await wait(1);
    const got = await exchange(port, [get('/2')], 1);
    expect(got).toContain('HTTP/1.1 503');
    expect(got.toLowerCase()).toContain('connection: close');
    letGo();
    for (const answer of await Promise.all(busy)) expect(answer).toContain('200 OK');
  });

  it('that have begun a request are ended when it does not come whole in time', async () => {
    const { port, connections } = await serve();
    const slow = await openSocket(port);
    slow.write('POST /1 HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab');
    const idle = await openSocket(port);
    await wait(30);
    connections.endIncomplete(60_000);
    await wait(10);
    expect([slow.closed, idle.closed]).toEqual([false, false]);
    const ended = new Promise<void>((resolve) => slow.on('close', () => resolve()));
    connections.endIncomplete(1);
    await ended;
    expect(idle.closed).toBe(false);
    idle.destroy();
  });
});

function openSocket(port: number): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.on('error', () => {});
    socket.resume();
  });
}

describe('a request in an overload', () => {
  it.each([
    ['in time', 100, [false, false]],
    ['too late', 200, [false, true]],
  ])('is judged by its own bytes, not by those of the one before it: %s', async (_, begunAt, expected) => {
    let at = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => at);
    const server = createServer();
    servers.push(server);
    const scheduler = { isOverloaded: true, hurry() {}, begin: (work: () => void): void => work() };
    const connections = keepConnections(server, { maxConnections: 1, onRefused: () => {}, scheduler });
    const late: boolean[] = [];
    const answers: (() => void)[] = [];
    let taken: Socket | undefined;
    server.on('connection', (socket) => {
      taken = socket;
    });
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      connections.begin(request, response);
      late.push(connections.isLate(request));
      answers.push(() => response.end());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.write(get('/first'));
    await expect.poll(() => answers.length).toBe(1);
    at = 100;
    client.write(get('/second'));
    await expect.poll(() => taken?.bytesRead).toBe(get('/first').length + get('/second').length);
    at = begunAt;
    answers[0]!();
    await expect.poll(() => answers.length).toBe(2);
    expect(late).toEqual(expected);
    client.destroy();
  });
});
