import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { type ApiContext, type ApiEnv, createModelRegistry } from '@fuzzqe/api';
import { FuzzError } from '@fuzzqe/core';
import { Hono } from 'hono';
import { afterEach, describe, expect, it } from 'vitest';
import { createAccessKey, parseAccessKeys } from '../access/access-keys.ts';
import { type RunningServer, type ServerOptions, startServer } from '../server.ts';
import { createLog } from '../telemetry/log.ts';
import { openTracing } from '../telemetry/tracing.ts';

interface Line {
  readonly level: string;
  readonly path?: string;
  readonly [field: string]: unknown;
}

const servers: RunningServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** A server without models and with routes of its own, and what it logged. */
async function serve(options: Partial<ServerOptions> = {}): Promise<{
  server: RunningServer;
  url: string;
  lines: () => Line[];
  logged: () => string;
  letGo: () => void;
}> {
  let letGo = (): void => {};
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const routes = ({ onError }: ApiContext): Hono<ApiEnv> =>
    new Hono<ApiEnv>()
      .get('/now', (context) => context.text('now'))
      .post('/echo', async (context) => context.text(await context.req.text()))
      .get('/gate', async (context) => {
        await gate;
        return context.text('let go');
      })
      .get('/lines', (context) => {
        onError(new Error('a graph failed'), context.get('requestId'), 'part');
        return context.text('{"status":200}\n{"status":500}');
      })
      .get('/fault/:id', () => {
        const cause = new Error('ENOENT: https://ann:s3cret@host/file?token=s3cret');
        throw new FuzzError('bundle', 'a file is missing', { cause });
      });
  const text: string[] = [];
  const server = await startServer({
    models: createModelRegistry(['later']),
    port: 0,
    closeNotice: 0,
    log: createLog({ write: (line) => text.push(line) }),
    api: { mount: [{ path: '/test', routes }] },
    ...options,
  });
  servers.push(server);
  return {
    server,
    url: server.url,
    lines: () => text.map((line) => JSON.parse(line)),
    logged: () => text.join(''),
    letGo: () => letGo(),
  };
}

describe('health', () => {
  it('is answered while nothing is open, and everything that needs a model is 503', async () => {
    const { url } = await serve();
    const statusOf = async (path: string): Promise<number> => (await fetch(url + path)).status;
    expect(await Promise.all(['/livez', '/readyz', '/v1/relations', '/test/now'].map(statusOf))).toEqual([
      200, 503, 503, 200,
    ]);
  });

  it('passes requests that are too many, which are refused with when to come back', async () => {
    const { url, letGo, lines } = await serve({ maxInFlight: 2 });
    const held = Promise.allSettled([1, 2].map(() => fetch(`${url}/test/gate`)));
    await expect.poll(async () => (await fetch(`${url}/test/now`)).status).toBe(429);
    const refused = await fetch(`${url}/test/now`);
    // By how many are answered a second, which is none so far.
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(2);
    expect(await refused.json()).toMatchObject({ code: 'overloaded', status: 429 });
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    expect(await (await fetch(`${url}/metrics`)).text()).toMatch(
      /fuzzqe_refused_total\{reason="in-flight"\} [1-9]/,
    );
    letGo();
    expect(await held).toMatchObject([1, 2].map(() => ({ value: { status: 200 } })));
    expect((await fetch(`${url}/test/now`)).status).toBe(200);
    // Of which there may be thousands a second: the log has those that were let in.
    expect(lines().every(({ status }) => status === 200)).toBe(true);
  });
});

describe('every response', () => {
  it('tells browsers to guess, frame and pass on nothing, whoever gives it', async () => {
    const keys = parseAccessKeys(createAccessKey('ann').line, 'keys.txt');
    const { url, letGo } = await serve({ maxInFlight: 2 });
    const locked = await serve({ keys: () => keys });
    const foreign = { headers: { origin: 'https://elsewhere.example' } };
    const query = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
    const expectSecure = async (status: number, path: string, init: RequestInit = {}): Promise<void> => {
      const { headers, status: got } = await fetch(new URL(path, url), init);
      const [policy, referrer, type] = [
        'content-security-policy',
        'referrer-policy',
        'x-content-type-options',
      ].map((name) => headers.get(name));
      expect([path, got, referrer, type]).toEqual([path, status, 'no-referrer', 'nosniff']);
      expect(policy).toContain("frame-ancestors 'none'");
    };
    await expectSecure(200, '/livez');
    await expectSecure(200, '/livez', { method: 'HEAD' });
    await expectSecure(503, '/readyz');
    await expectSecure(503, '/healthz');
    await expectSecure(200, '/metrics');
    await expectSecure(200, '/test/now');
    await expectSecure(404, '/none');
    await expectSecure(500, '/test/fault/1');
    await expectSecure(503, '/v1/query', query);
    await expectSecure(403, '/test/now', foreign);
    await expectSecure(401, `${locked.url}/v1/query`, query);
    const held = Promise.allSettled([1, 2].map(() => fetch(`${url}/test/gate`)));
    await expect.poll(async () => (await fetch(`${url}/test/now`)).status).toBe(429);
    await expectSecure(429, '/test/now');
    letGo();
    await held;
  });
});

describe('access', () => {
  it('is by key where there are any, but for health; names are logged, and keys nowhere', async () => {
    const [ann, bob] = [createAccessKey('ann'), createAccessKey('bob')];
    const keys = parseAccessKeys(`${ann.line}\n${bob.line}`, 'keys.txt');
    const { url, lines, logged } = await serve({ keys: () => keys });
    const ask = (path: string, authorization?: string): Promise<Response> =>
      fetch(url + path, authorization === undefined ? {} : { headers: { authorization } });
    const without = await ask('/test/now?key=s3cret');
    expect(without.status).toBe(401);
    expect(without.headers.get('www-authenticate')).toBe('Bearer');
    expect((await ask('/metrics')).status).toBe(401);
    expect((await ask('/test/now', `Bearer ${ann.key}x`)).status).toBe(401);
    expect((await ask('/test/now', `Bearer ${bob.key}`)).status).toBe(200);
    expect((await ask('/metrics', `bearer ${ann.key}`)).status).toBe(200);
    expect((await ask('/livez')).status).toBe(200);
    expect((await ask('/healthz')).status).toBe(503);
    expect(lines().map(({ status, client }) => [status, client])).toEqual(
      expect.arrayContaining([
        [401, undefined],
        [200, 'bob'],
        [200, 'ann'],
      ]),
    );
    for (const secret of [ann.key, bob.key, 's3cret']) expect(logged()).not.toContain(secret);
  });

  it('is not guessed unseen: wrong keys are noted, at /readyz too, and held to the rate of their address', async () => {
    const ann = createAccessKey('ann');
    const keys = parseAccessKeys(ann.line, 'keys.txt');
    const { url, server, lines } = await serve({
      keys: () => keys,
      rateLimit: { perSecond: 0.001, burst: 3 },
    });
    const ask = async (path: string, authorization?: string): Promise<number> =>
      (await fetch(url + path, authorization === undefined ? {} : { headers: { authorization } })).status;
    const count = async (reason: string): Promise<number> => {
      const [, found = '0'] =
        new RegExp(`fuzzqe_refused_total\\{reason="${reason}"\\} (\\d+)`).exec(await server.metrics.text()) ??
        [];
      return Number(found);
    };
    const wrong = `Bearer ${ann.key}x`;
    // Without a key, or with the right one, nothing is to be noted.
    expect([await ask('/readyz'), await ask('/readyz', `Bearer ${ann.key}`)]).toEqual([503, 503]);
    expect([lines(), await count('key')]).toEqual([[], 0]);
    expect([await ask('/readyz', wrong), await ask('/readyz', wrong)]).toEqual([503, 503]);
    await expect.poll(() => lines().length).toBe(2);
    expect(lines()[0]).toMatchObject({ level: 'info', path: '/readyz', refused: 'key' });
    expect([await ask('/test/now', wrong), await ask('/test/now', wrong)]).toEqual([401, 429]);
    expect(await ask('/readyz', wrong)).toBe(503);
    expect([await count('key'), await count('rate')]).toEqual([3, 2]);
    expect(await ask('/test/now', `Bearer ${ann.key}`)).toBe(200);
    expect(JSON.stringify(lines())).not.toContain(ann.key);
  });

  it('is not needed for an open page, which waits for no requests without one', async () => {
    const keys = parseAccessKeys(createAccessKey('ann').line, 'keys.txt');
    const routes = (): Hono<ApiEnv> => new Hono<ApiEnv>().get('/', (context) => context.text('page'));
    const { url } = await serve({
      keys: () => keys,
      rateLimit: { perSecond: 0.001, burst: 2 },
      api: { mount: [{ path: '/page', routes, isOpen: (path) => path === '/page' }] },
    });
    const statuses: number[] = [];
    for (const path of ['/v1/relations', '/v1/relations', '/v1/relations', '/page', '/page', '/page'])
      statuses.push((await fetch(url + path, { headers: { authorization: 'Bearer expired' } })).status);
    expect(statuses).toEqual([401, 401, 429, 200, 200, 429]);
  });

  it('is at a rate', async () => {
    const { url } = await serve({ rateLimit: { perSecond: 0.01, burst: 2 } });
    const statuses: number[] = [];
    for (let i = 0; i < 3; i++) statuses.push((await fetch(`${url}/test/now`)).status);
    expect(statuses).toEqual([200, 200, 429]);
    expect((await fetch(`${url}/test/now`)).headers.get('retry-after')).toMatch(/^\d\d+$/);
  });
});

describe('the log', () => {
  it('has the cause of a part that failed of an answer that did not', async () => {
    const { url, lines } = await serve();
    const { status, headers } = await fetch(`${url}/test/lines`);
    expect(status).toBe(200);
    await expect.poll(() => lines().length).toBe(2);
    const requestId = headers.get('x-request-id');
    expect(lines()).toEqual([
      expect.objectContaining({
        level: 'error',
        requestId,
        error: expect.objectContaining({ message: 'a graph failed' }),
      }),
      expect.objectContaining({ level: 'info', requestId, status: 200 }),
    ]);
  });

  it('has one line a request, with the cause of what the server is at fault for', async () => {
    const { url, lines, logged } = await serve();
    await fetch(`${url}/test/now?q=s3cret`, { headers: { 'x-request-id': 'mine' } });
    await fetch(`${url}/test/fault/1`);
    await fetch(`${url}/no/%1b[31m/such?s3cret`);
    await expect.poll(() => lines().length).toBe(3);
    const [now, fault, none] = lines();
    expect(now).toMatchObject({
      level: 'info',
      msg: 'request',
      route: '/test/now',
      status: 200,
      requestId: 'mine',
    });
    expect(fault).toMatchObject({
      level: 'error',
      route: '/test/fault/:id',
      status: 500,
      error: {
        code: 'bundle',
        message: 'a file is missing',
        causes: [{ message: expect.stringContaining('ENOENT') }],
      },
    });
    expect(none).toMatchObject({ level: 'info', route: 'other', status: 404 });
    expect(logged()).not.toContain('s3cret');
  });

  it('has control characters written out', () => {
    let text = '';
    const log = createLog({
      write: (line) => {
        text += line;
      },
    });
    const hostile = '\u001b[2J\u202e\u0085\nforged';
    log.info({ path: hostile }, hostile);
    expect(text).toMatch(/^[\x20-\x7e]+\n$/);
    expect(JSON.parse(text)).toMatchObject({ path: hostile, msg: hostile });
  });
});

describe('metrics', () => {
  it('count requests by the pattern of their path', async () => {
    const { url } = await serve();
    for (const path of ['/test/fault/1', '/test/fault/2', '/none/1', '/none/2']) await fetch(url + path);
    await expect
      .poll(async () => (await fetch(`${url}/metrics`)).text())
      .toContain('fuzzqe_http_requests_total{method="GET",route="other",status="404"} 2');
    const text = await (await fetch(`${url}/metrics`)).text();
    expect(text).toContain('fuzzqe_http_requests_total{method="GET",route="/test/fault/:id",status="500"} 2');
    expect(text).not.toContain('/none/');
  });

  it('count by the path that answered where several match, or that would have', async () => {
    const routes = (): Hono<ApiEnv> =>
      new Hono<ApiEnv>()
        .get('/files/own/:name{.+}', (context) => context.text('own'))
        .get('/files/:file{.*}', (context) => context.text('file'));
    const keys = parseAccessKeys(createAccessKey('ann').line, 'keys.txt');
    const api = { mount: [{ path: '/', routes }] };
    const [open, locked] = [await serve({ api }), await serve({ api, keys: () => keys })];
    for (const { url } of [open, locked])
      for (const path of ['/files/own/a/b', '/files/a']) await fetch(url + path);
    const routesOf = ({ lines }: typeof open) => lines().map(({ status, route }) => [status, route]);
    await expect
      .poll(() => [routesOf(open), routesOf(locked)])
      .toEqual(
        [200, 401].map((status) => [
          [status, '/files/own/:name{.+}'],
          [status, '/files/:file{.*}'],
        ]),
      );
  });
});

describe('traces', () => {
  it('have a span of each request below that of the caller, which the log names', async () => {
    const sent: string[] = [];
    const collector = createServer(async (incoming, outgoing) => {
      let body = '';
      for await (const chunk of incoming) body += chunk;
      sent.push(`${incoming.url} ${body}`);
      outgoing.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
    await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
    const { port } = collector.address() as AddressInfo;
    const tracing = await openTracing({ endpoint: `http://127.0.0.1:${port}/`, ratio: 0 });
    const { url, lines } = await serve({ tracing });
    const traceId = 'ab'.repeat(16);
    await fetch(`${url}/test/now`, { headers: { traceparent: `00-${traceId}-${'cd'.repeat(8)}-01` } });
    // Not kept: the ratio is 0, and the caller has not decided.
    await fetch(`${url}/test/echo`, { method: 'POST', body: 'x' });
    await expect.poll(() => lines().length).toBe(2);
    await tracing.close();
    expect(lines()[0]).toMatchObject({ traceId });
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatch(/^\/v1\/traces /);
    for (const part of [traceId, 'cd'.repeat(8), 'GET /test/now', 'http.response.status_code'])
      expect(sent[0]).toContain(part);
    expect(sent[0]).not.toContain('/test/echo');
    collector.close();
    collector.closeAllConnections();
  });
});

/** Sends a request and the end of its side of the connection; gives all that comes back. */
function askAndEnd(port: number, path: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () =>
      socket.end(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`),
    );
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
  });
}

describe('the end of a server', () => {
  it('loses no request of clients that keep their connections busy, or have ended their side', async () => {
    const { server, url, lines, letGo } = await serve({ closeNotice: 400 });
    const agent = new Agent({ keepAlive: true });
    const outcomes: string[] = [];
    const ask = (path: string): Promise<string> =>
      new Promise((resolve) => {
        const sending = request(url + path, { agent }, (response) => {
          response.resume();
          response.on('end', () => resolve(`${response.statusCode}`));
          response.on('error', () => resolve('broken'));
        });
        // Nobody listens any more, which is no request that was accepted.
        sending.on('error', ({ message }) => resolve(/ECONNREFUSED/.test(message) ? 'refused' : message));
        sending.end();
      });
    const clients = Array.from({ length: 16 }, async () => {
      for (let outcome = ''; outcome !== 'refused'; outcomes.push(outcome)) outcome = await ask('/test/now');
    });
    const halfOpen = [1, 2, 3].map(() => askAndEnd(server.port, '/test/gate'));
    await expect.poll(() => outcomes.length, { timeout: 30_000 }).toBeGreaterThan(50);
    const closing = server.close();
    await wait(100);
    letGo();
    await closing;
    await Promise.all(clients);
    for (const answer of await Promise.all(halfOpen)) expect(answer).toMatch(/HTTP\/1.1 200 OK.*let go/s);
    agent.destroy();
    expect([...new Set(outcomes)].sort()).toEqual(['200', 'refused']);
    expect(lines().every(({ status }) => status === 200)).toBe(true);
  });

  it('does not wait for a request that does not come whole', async () => {
    const { server, url } = await serve({ drainTimeout: 60_000 });
    const sending = request(`${url}/test/echo`, { method: 'POST', headers: { 'content-length': 10 } });
    const broken = new Promise<string>((resolve) => sending.on('error', ({ message }) => resolve(message)));
    sending.write('half');
    await once(sending, 'socket');
    if (sending.socket?.connecting) await once(sending.socket, 'connect');
    await wait(100);
    const began = performance.now();
    await server.close();
    // It would wait a minute.
    expect(performance.now() - began).toBeLessThan(50_000);
    expect(await broken).toMatch(/ECONNRESET|hang up/);
  });
});
