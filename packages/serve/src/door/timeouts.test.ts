import { connect } from 'node:net';
import { type ApiEnv, createModelRegistry } from '@fuzzqe/api';
import { Hono } from 'hono';
import { afterEach, describe, expect, it } from 'vitest';
import { type RunningServer, type ServerOptions, startServer } from '../server.ts';

const servers: RunningServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** Longer than any test waits, for the times that a test is not about. */
const never = 600_000;

/** What an answer has that no buffer between the ends takes. */
const large = 64 << 20;

/** A server of which only the given times are short. */
async function serve(times: Partial<ServerOptions>): Promise<RunningServer> {
  const routes = (): Hono<ApiEnv> =>
    new Hono<ApiEnv>()
      .post('/echo', async (context) => context.text(await context.req.text()))
      .get('/large', (context) => context.text('x'.repeat(large)));
  const server = await startServer({
    models: createModelRegistry([]),
    port: 0,
    closeNotice: 0,
    headersTimeout: never,
    requestTimeout: never,
    keepAliveTimeout: never,
    idleTimeout: never,
    api: { mount: [{ path: '/test', routes }] },
    ...times,
  });
  servers.push(server);
  return server;
}

/** What became of a connection: all that came, and when the server ended it. */
interface Outcome {
  readonly text: string;
  readonly milliseconds: number;
}

/** Sends a beginning at once and then one byte after the other, a moment apart; resolves when the connection ends. */
function drip(port: number, beginning: string, rest = '', { step = 20 } = {}): Promise<Outcome> {
  return new Promise((resolve) => {
    const began = performance.now();
    let [text, sent] = ['', 0];
    const socket = connect(port, '127.0.0.1');
    socket.write(beginning);
    const timer = setInterval(() => {
      if (sent < rest.length) socket.write(rest[sent++]!);
    }, step);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearInterval(timer);
      resolve({ text, milliseconds: performance.now() - began });
    });
  });
}

const slowHeader = `X-Slow: ${'x'.repeat(1000)}`;
const whole = 'GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n';
const withBody = (length: number): string =>
  `POST /test/echo HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n`;
const statusesOf = ({ text }: Outcome): string[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status!);

describe('a connection is ended', () => {
  it('where headers do not come in time, byte by byte, or nothing does', async () => {
    const { port } = await serve({ headersTimeout: 200 });
    const [dripping, silent, second] = await Promise.all([
      drip(port, 'GET /livez HTTP/1.1\r\n', slowHeader),
      drip(port, ''),
      drip(port, `${whole}GET /livez HTTP/1.1\r\n`, slowHeader),
    ]);
    expect([dripping, silent, second].map(statusesOf)).toEqual([['408'], ['408'], ['200', '408']]);
    for (const { milliseconds } of [dripping, silent, second]) expect(milliseconds).toBeGreaterThan(190);
  });

  it('where a body does not come in time, with its length or in chunks', async () => {
    const { port } = await serve({ headersTimeout: 100, requestTimeout: 300 });
    const chunked = withBody(0).replace('Content-Length: 0', 'Transfer-Encoding: chunked');
    const outcomes = await Promise.all([
      drip(port, withBody(1000), 'x'.repeat(1000)),
      drip(port, `${chunked}3E8\r\n`, 'x'.repeat(1000)),
    ]);
    expect(outcomes.map(statusesOf)).toEqual([['408'], ['408']]);
    for (const { milliseconds } of outcomes) expect(milliseconds).toBeGreaterThan(290);
  });

  it('where no further request comes', async () => {
    const { port } = await serve({ keepAliveTimeout: 200 });
    const outcome = await drip(port, whole);
    expect(statusesOf(outcome)).toEqual(['200']);
    expect(outcome.milliseconds).toBeGreaterThan(190);
  });

  it('where its client does not read the answer', async () => {
    const { port, metrics } = await serve({ idleTimeout: 200 });
    const socket = connect(port, '127.0.0.1');
    socket.pause();
    socket.write(whole.replace('/livez', '/test/large'));
    const began = performance.now();
    // A client that reads nothing does not hear of the end either.
    await expect.poll(() => metrics.text()).toContain('route="/test/large",status="499"} 1');
    expect(performance.now() - began).toBeGreaterThan(190);
    expect(await metrics.text()).toContain('fuzzqe_http_connections 0\n');
    socket.destroy();
  });
});

describe('a connection is kept', () => {
  it('while its requests come slowly, but in time', async () => {
    const { port } = await serve({ headersTimeout: 2000, requestTimeout: 2000, keepAliveTimeout: 300 });
    const began = performance.now();
    const outcome = await drip(port, `${whole}${withBody(20)}`, 'x'.repeat(20), { step: 30 });
    expect(statusesOf(outcome)).toEqual(['200', '200']);
    expect(outcome.text).toContain('x'.repeat(20));
    expect(performance.now() - began).toBeGreaterThan(500);
  });
});
