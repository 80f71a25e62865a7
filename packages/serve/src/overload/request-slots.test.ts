import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { type ApiEnv, createModelRegistry } from '@fuzzqe/api';
import { Hono } from 'hono';
import { afterEach, describe, expect, it } from 'vitest';
import { type RunningServer, type ServerOptions, startServer } from '../server.ts';
import { createLog } from '../telemetry/log.ts';
import { createRequestSlots } from './request-slots.ts';

const servers: RunningServer[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** A server that repeats what it is sent: whole, or as it comes; `/test/gate` waits for `letGo`. */
async function serve(options: Partial<ServerOptions> = {}) {
  let letGo = (): void => {};
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const routes = (): Hono<ApiEnv> =>
    new Hono<ApiEnv>()
      .post('/echo', async (context) => context.text(await context.req.text()))
      .post('/stream', (context) => new Response(context.req.raw.body))
      .post('/gate', async (context) => {
        await gate;
        return context.text('let go');
      });
  const text: string[] = [];
  const server = await startServer({
    models: createModelRegistry([]),
    port: 0,
    closeNotice: 0,
    log: createLog({ level: 'debug', write: (line) => text.push(line) }),
    api: { mount: [{ path: '/test', routes }] },
    ...options,
  });
  servers.push(server);
  /** Sends the beginning of a request, and perhaps more of it later. */
  const begin = (bytes: string) => {
    const socket = connect(server.port, '127.0.0.1');
    sockets.push(socket);
    let answer = '';
    let isEnded = false;
    socket.write(bytes);
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      isEnded = true;
    });
    return {
      write: (more: string) => socket.write(more),
      answer: () => answer,
      status: () => answer.slice(9, 12),
      isEnded: () => isEnded,
    };
  };
  const underWay = async (): Promise<number> =>
    Number(/fuzzqe_http_requests_in_flight (\d+)/.exec(await server.metrics.text())?.[1]);
  return { server, begin, underWay, letGo, lines: () => text.map((line) => JSON.parse(line)) };
}

const post = (path: string, length: number, body: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n\r\n${body}`;

describe('a request that does not come whole', () => {
  it('gives way to others where there is no room, which are answered, and else goes on', async () => {
    const { begin, underWay } = await serve({ maxInFlight: 256 });
    const slow = Array.from({ length: 256 }, () => begin(post('/test/echo', 4, 'a')));
    await expect.poll(underWay).toBe(256);
    await wait(300);
    const others = Array.from({ length: 64 }, () => begin(post('/test/echo', 4, 'abcd')));
    await expect.poll(() => others.filter(({ status }) => status() === '200').length).toBe(64);
    const ended = slow.filter(({ isEnded }) => isEnded());
    // As many as there was no room for, of those that had been coming for longest.
    expect(ended.length).toBeGreaterThan(0);
    expect(ended.length).toBeLessThanOrEqual(64);
    for (const { answer } of ended) {
      expect(answer()).toMatch(/^HTTP\/1\.1 429 Too Many Requests\r\n/);
      expect(answer().toLowerCase()).toMatch(/\r\nretry-after: \d+\r\n/);
      expect(answer().toLowerCase()).toContain('\r\nconnection: close\r\n');
    }
    const going = slow.filter(({ isEnded }) => !isEnded());
    for (const { write } of going) write('bcd');
    await expect.poll(() => going.filter(({ status }) => status() === '200').length).toBe(going.length);
    expect(await underWay()).toBe(0);
  });

  it('gives way though its answer has begun, and is counted and logged as refused', async () => {
    const { begin, underWay, server, lines } = await serve({ maxInFlight: 1 });
    const batch = begin(
      'POST /test/stream HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n',
    );
    await expect.poll(batch.status).toBe('200');
    await wait(300);
    const other = begin(post('/test/echo', 4, 'abcd'));
    await expect.poll(other.status).toBe('200');
    await expect.poll(batch.isEnded).toBe(true);
    expect(await underWay()).toBe(0);
    expect(await server.metrics.text()).toContain('fuzzqe_refused_total{reason="in-flight"} 1\n');
    await expect
      .poll(lines)
      .toContainEqual(
        expect.objectContaining({ level: 'debug', path: '/test/stream', status: 429, refused: 'in-flight' }),
      );
  });
});

describe('requests that came whole', () => {
  it('keep their places, however long they take, and are no more than may be', async () => {
    const { begin, underWay, letGo } = await serve({ maxInFlight: 4 });
    const burst = Array.from({ length: 12 }, () => begin(post('/test/gate', 2, 'ab')));
    await expect.poll(() => burst.filter(({ status }) => status() === '429').length).toBe(8);
    await wait(300);
    const late = begin(post('/test/gate', 2, 'ab'));
    await expect.poll(late.status).toBe('429');
    expect(await underWay()).toBe(4);
    letGo();
    await expect.poll(() => burst.filter(({ status }) => status() === '200').length).toBe(4);
    expect(await underWay()).toBe(0);
  });
});

describe('a place', () => {
  it('is held for a moment by what has begun to come, and left once', () => {
    let at = 0;
    const slots = createRequestSlots(2, () => at);
    const ended: number[] = [];
    const [first, second] = [0, 1].map((i) => slots.take(() => ended.push(i)));
    expect([slots.taken, slots.hasRoom]).toEqual([2, false]);
    at = 250;
    expect(slots.hasRoom).toBe(false);
    at = 251;
    first!.whole();
    expect(slots.hasRoom).toBe(true);
    slots.take(() => ended.push(2));
    expect([ended, slots.taken, slots.hasRoom]).toEqual([[1], 2, false]);
    second!.leave();
    first!.leave();
    first!.leave();
    expect([slots.taken, slots.hasRoom]).toEqual([1, true]);
  });
});
