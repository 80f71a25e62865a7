import { connect } from 'node:net';
import { type ApiEnv, createModelRegistry } from '@fuzzqe/api';
import { Hono } from 'hono';
import { afterEach, describe, expect, it } from 'vitest';
import { type RunningServer, startServer } from '../server.ts';
import { createLog } from '../telemetry/log.ts';

const servers: RunningServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

interface Served {
  readonly server: RunningServer;
  readonly lines: () => Record<string, unknown>[];
}

/** A server that repeats what it is sent. */
async function serve({ headersTimeout = 600_000, requestTimeout = 600_000 } = {}): Promise<Served> {
  const routes = (): Hono<ApiEnv> =>
    new Hono<ApiEnv>()
      .post('/echo', async (context) => context.text(await context.req.text()))
      // As batches are answered, while they come.
      .post('/stream', (context) => new Response(context.req.raw.body));
  let text = '';
  const server = await startServer({
    models: createModelRegistry([]),
    port: 0,
    closeNotice: 0,
    headersTimeout,
    requestTimeout,
    log: createLog({
      write: (line) => {
        text += line;
      },
    }),
    api: { mount: [{ path: '/test', routes }] },
  });
  servers.push(server);
  return {
    server,
    lines: () =>
      text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
  };
}

/** Sends bytes, and more once an answer comes; gives all that came back until the server ended the connection. */
function send(port: number, bytes: string, more = ''): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1');
    socket.write(bytes, 'latin1');
    socket.once('data', () => socket.write(more));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
  });
}

const chunked = (path: string, body: string, headers = ''): string =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}Transfer-Encoding: chunked\r\n\r\n${body}`;

describe('a request that node:http gives up', () => {
  it.each([
    ['nonsense', 'nonsense\r\n\r\n', 400, 'syntax', 'other', 'other'],
    ['a handshake of TLS', '\x16\x03\x01\x02\x00\x01\x00', 400, 'syntax', 'other', 'other'],
    ['large headers', `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}`, 431, 'too-large', 'other', 'other'],
    ['half of the headers', 'GET / HTTP/1.1\r\nHo', 408, 'deadline', 'other', 'other'],
    ['half of a body', chunked('/test/echo', '5\r\nab'), 408, 'deadline', 'POST', 'other'],
    ['a body cut wrongly', chunked('/test/echo', 'nonsense\r\n'), 400, 'syntax', 'POST', 'other'],
    [
      'chunks with much beside them',
      chunked('/test/echo', `1;${'x'.repeat(20_000)}\r\na\r\n0\r\n\r\n`),
      ...([413, 'too-large', 'POST', 'other'] as const),
    ],
    [
      'a tunnel',
      'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n',
      400,
      'syntax',
      'other',
      'other',
    ],
    ['no host', 'GET /livez HTTP/1.1\r\n\r\n', 400, 'syntax', 'GET', 'other'],
  ])('is answered, logged and counted once: %s', async (_, bytes, status, code, method, route) => {
    const { server, lines } = await serve({ headersTimeout: 100, requestTimeout: 100 });
    const answer = await send(server.port, bytes);
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(answer.split('HTTP/1.1 ')).toHaveLength(2);
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [A-Z]`));
    expect(head.toLowerCase()).toContain('\r\ncontent-type: application/problem+json');
    expect(head.toLowerCase()).toContain('\r\nx-content-type-options: nosniff');
    expect(head.toLowerCase()).toContain('\r\nconnection: close');
    const { requestId, ...problem } = JSON.parse(body);
    expect(problem).toMatchObject({ type: 'about:blank', status, code });
    expect(head.toLowerCase()).toContain(`\r\nx-request-id: ${requestId}`);
    await expect.poll(() => lines().length).toBe(1);
    expect(lines()).toEqual([
      expect.objectContaining({ level: 'info', msg: 'request', requestId, route, status }),
    ]);
    expect(await server.metrics.text()).toContain(
      `fuzzqe_http_requests_total{method="${method}",route="${route}",status="${status}"} 1\n`,
    );
  });

  it.each([
    ['a handshake of TLS', '\x16\x03\x01\x02\x00\x01\x00', /a TLS handshake/, /http: instead of https:/],
    ['no method', 'nonsense\r\n\r\n', /expected a method/, /address/],
    [
      'a target that is not encoded',
      'GET /caf\xe9 HTTP/1.1\r\nHost: a\r\n\r\n',
      /a target of ASCII/,
      /Encode/,
    ],
    ['another version', 'GET / HTTP/1.2\r\nHost: a\r\n\r\n', /another version/, /HTTP\/1\.1/],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', /HTTP\/2/, /HTTP\/1\.1/],
    ['another protocol', 'GET /a b HTTP/1.1\r\nHost: a\r\n\r\n', /another protocol/, /%20/],
    ['a space in a name', 'GET / HTTP/1.1\r\nA b: c\r\n\r\n', /of the form name: value/, /names of letters/],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nab',
      ...([/Content-Length once/, /once/] as const),
    ],
    [
      'a length that is none',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: two\r\n\r\nab',
      ...([/in digits/, /Content-Length/] as const),
    ],
    ['a length and chunks', chunked('/test/echo', '', 'Content-Length: 2\r\n'), /got both/, /not both/],
    [
      'chunks and a length',
      chunked('/', '').replace('\r\n\r\n', '\r\nContent-Length: 2\r\n\r\n'),
      /without Transfer-Encoding/,
      /not both/,
    ],
    ['a size that is none', chunked('/test/echo', 'zz\r\n'), /the size of a chunk/, /chunk/],
    ['a chunk that is longer', chunked('/test/echo', '2\r\nabcd\r\n'), /not as long/, /chunk/],
  ])('says what is wrong: %s', async (name, bytes, detail, hint) => {
    const { server } = await serve();
    const [, body = ''] = (await send(server.port, bytes)).split('\r\n\r\n');
    const problem = JSON.parse(body);
    expect(problem).toMatchObject({ status: 400, code: 'syntax' });
    expect(problem.detail).toMatch(detail);
    expect(problem.hint).toMatch(hint);
    expect(/https/.test(problem.hint)).toBe(name === 'a handshake of TLS');
  });

  it('has no second answer where it had one', async () => {
    const { server, lines } = await serve();
    // Health is answered before the body has come, and keeps its connection.
    const request = chunked('/livez', '5\r\nab').replace('POST', 'GET');
    const answer = await send(server.port, request, 'cde\r\nnonsense\r\n');
    expect(answer.split('HTTP/1.1 ')).toHaveLength(2);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(lines()).toEqual([]);
  });

  it.each([
    ['late', '', '', 408],
    ['malformed', '2\r\nab\r\n', 'nonsense\r\n', 400],
  ])('is noted by what was wrong where its answer had begun: %s', async (_, first, more, status) => {
    const { server, lines } = await serve({ headersTimeout: 200, requestTimeout: 200 });
    const answer = await send(server.port, chunked('/test/stream', first), more);
    expect(answer.split('HTTP/1.1 ')).toHaveLength(2);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    await expect.poll(lines).toEqual([expect.objectContaining({ level: 'info', status })]);
    expect(await server.metrics.text()).toContain(
      `method="POST",route="/test/stream",status="${status}"} 1\n`,
    );
  });

  it('is none where a client goes away, or expects what is not known', async () => {
    const { server, lines } = await serve();
    await new Promise<void>((resolve) => {
      const socket = connect(server.port, '127.0.0.1', () => socket.resetAndDestroy());
      socket.on('close', () => resolve());
    });
    const answer = await send(
      server.port,
      chunked('/test/echo', '2\r\nab\r\n0\r\n\r\n', 'Expect: more\r\nConnection: close\r\n'),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\n\r\nab$/);
    await expect.poll(() => lines().length).toBe(1);
    expect(lines()).toMatchObject([{ route: '/test/echo', status: 200 }]);
  });
});
