import { connect } from 'node:net';
import { type ApiEnv, createModelRegistry } from '@fuzzqe/api';
import { Hono } from 'hono';
import { afterEach, describe, expect, it } from 'vitest';
import { createAccessKey, parseAccessKeys } from '../access/access-keys.ts';
import { type RunningServer, type ServerOptions, startServer } from '../server.ts';
import { createLog } from '../telemetry/log.ts';

const servers: RunningServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const ann = createAccessKey('ann');
const keys = parseAccessKeys(ann.line, 'keys.txt');

/** A server that says of each request by which address it was asked. */
async function serve(options: Partial<ServerOptions> = {}) {
  const routes = (): Hono<ApiEnv> =>
    new Hono<ApiEnv>().get('/url', (context) => context.text(context.req.url));
  const text: string[] = [];
  const server = await startServer({
    models: createModelRegistry([]),
    port: 0,
    closeNotice: 0,
    log: createLog({ write: (line) => text.push(line) }),
    api: { mount: [{ path: '/test', routes }] },
    ...options,
  });
  servers.push(server);
  /** The status, the headers and the body of what is answered to a first line and further headers. */
  const ask = (first: string, ...headers: readonly string[]): Promise<readonly [number, string, string]> =>
    new Promise((resolve, reject) => {
      let answer = '';
      const socket = connect(server.port, '127.0.0.1');
      socket.end(`${[first, ...headers, 'Connection: close'].join('\r\n')}\r\n\r\n`, 'latin1');
      socket.setEncoding('latin1').on('data', (part) => {
        answer += part;
      });
      socket.on('error', reject);
      socket.on('close', () => {
        const [head = '', ...body] = answer.split('\r\n\r\n');
        resolve([Number(head.slice(9, 12)), head.toLowerCase(), body.join('\r\n\r\n')]);
      });
    });
  return { server, ask, logged: () => text.join(''), lines: () => text.map((line) => JSON.parse(line)) };
}

const target = (of: string): readonly [string, string] => [`GET ${of} HTTP/1.1`, 'Host: localhost'];
const host = (of: string): readonly [string, string] => ['GET /v1/models HTTP/1.1', `Host: ${of}`];

const malformed = [
  ['OPTIONS * HTTP/1.1', 'Host: localhost'],
  ...[
    'a b',
    '[::1',
    'a:99999999',
    '0x7f.1',
    '[::1%eth0]',
    '',
    'u@localhost/x?',
    '999.999.999.999',
    'a\\b',
    'b\xfccher',
  ].map(host),
  ...['http://[/v1/models', 'ftp://ann:s3cret@localhost/v1/models', '/v1\\models'].map(target),
] as const;

describe('a request that stands for no address', () => {
  it.each(malformed)('has the answer of other refusals, and a line of the log: %s %s', async (...lines) => {
    const { ask, logged, lines: all, server } = await serve({ allowHost: ['*'] });
    const [status, head, body] = await ask(...lines);
    const { requestId, ...problem } = JSON.parse(body);
    expect([status, problem]).toEqual([400, expect.objectContaining({ status, code: 'syntax' })]);
    expect(problem.detail).toMatch(/^(?:host: )?expected .*, got "/);
    expect(head).toContain('content-type: application/problem+json');
    expect(head).toContain(`x-request-id: ${requestId}`);
    await expect.poll(all).toMatchObject([{ status, requestId, route: 'other' }]);
    expect(logged() + body).not.toContain('s3cret');
    expect(await server.metrics.text()).toMatch(
      /fuzzqe_http_requests_total\{.*route="other",status="400"\} 1/,
    );
  });

  it.each(['/test/url', '/livez', '/readyz'])('names two: %s', async (path) => {
    const { ask, lines } = await serve();
    for (const second of ['Host: evil.example', 'hOsT: localhost']) {
      const [status, , body] = await ask(`GET ${path} HTTP/1.1`, 'Host: localhost', 'X: y', second);
      expect([status, JSON.parse(body).detail]).toEqual([400, 'expected the header Host once, got more']);
    }
    await expect.poll(lines).toMatchObject([{ status: 400 }, { status: 400 }]);
  });

  it('is held to keys and rates as others are', async () => {
    const { ask, server } = await serve({ keys: () => keys, rateLimit: { perSecond: 0.001, burst: 2 } });
    const bad = host('a b');
    const key = `Authorization: Bearer ${ann.key}`;
    const statuses: number[] = [];
    for (const more of [[], [], [], [key], [key], [key]]) statuses.push((await ask(...bad, ...more))[0]);
    expect(statuses).toEqual([401, 401, 429, 400, 400, 429]);
    const text = await server.metrics.text();
    expect(text).toContain('fuzzqe_refused_total{reason="key"} 2\n');
    expect(text).toContain('fuzzqe_refused_total{reason="rate"} 2\n');
  });
});

describe('a target that names the server whole', () => {
  it('is answered as its path is, and logged without who it names', async () => {
    const { ask, logged, lines } = await serve({ keys: () => keys });
    for (const health of ['/livez', '/readyz', '/healthz'])
      expect((await ask(...target(`http://ann:s3cret@localhost${health}`)))[0], health).not.toBe(401);
    const key = `Authorization: Bearer ${ann.key}`;
    const [status, , body] = await ask(
      'GET HTTP://ann:s3cret@localhost:80/test/url?q=1 HTTP/1.1',
      'Host: a.example',
      key,
    );
    expect([status, body]).toEqual([200, 'http://a.example/test/url?q=1']);
    await ask('GET http://localhost HTTP/1.1', 'Host: localhost', key);
    await expect.poll(() => lines().map(({ path }) => path)).toEqual(['/healthz', '/test/url', '/']);
    expect(logged()).not.toContain('s3cret');
  });

  it('need not, and HTTP/1.0 need name none at all', async () => {
    const { ask } = await serve();
    expect(await ask('GET /test/url HTTP/1.0')).toMatchObject([
      200,
      expect.any(String),
      'http://localhost/test/url',
    ]);
    for (const name of ['localhost', 'LocalHost:80', '127.0.0.1:8080', '[::1]', '[::1]:65535'])
      expect((await ask('GET /test/url HTTP/1.1', `Host: ${name}`))[0], name).toBe(200);
  });

  it.each([
    ['[0:0:0:0:0:0:0:1]:9101', '[::1]:9101'],
    ['[0:0:0:0:0:0:0:1]', '[::1]'],
    ['[::FFFF:127.0.0.1]:9101', '[::ffff:7f00:1]:9101'],
    ['127.0.0.1:', '127.0.0.1'],
    ['localhost:', 'localhost'],
  ])('may name it in any way that an address is written: %s', async (name, short) => {
    const { ask } = await serve();
    const [status, , body] = await ask('GET /test/url HTTP/1.1', `Host: ${name}`);
    expect([status, body]).toEqual([200, `http://${short}/test/url`]);
  });
});
