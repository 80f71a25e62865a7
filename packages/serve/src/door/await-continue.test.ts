import { connect } from 'node:net';
import { type ApiEnv, createModelRegistry, readBody } from '@fuzzqe/api';
import { Hono } from 'hono';
import { afterEach, describe, expect, it } from 'vitest';
import { createAccessKey, parseAccessKeys } from '../access/access-keys.ts';
import { type RunningServer, type ServerOptions, startServer } from '../server.ts';
import { createLog } from '../telemetry/log.ts';

const servers: RunningServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(options: Partial<ServerOptions> = {}): Promise<number> {
  const routes = (): Hono<ApiEnv> =>
    new Hono<ApiEnv>()
      .post('/echo', async (context) => {
        const bytes = await readBody(context.req.raw, 1000, 'Send less.');
        return context.text(new TextDecoder().decode(bytes));
      })
      // As batches are answered, while they come.
      .post('/stream', (context) => new Response(context.req.raw.body));
  const server = await startServer({
    models: createModelRegistry(['later']),
    port: 0,
    closeNotice: 0,
    log: createLog({ level: 'silent', write() {} }),
    api: { mount: [{ path: '/test', routes }] },
    ...options,
  });
  servers.push(server);
  return server.port;
}

const head = (path: string, length: number, ...headers: readonly string[]): string =>
  `${[`POST ${path} HTTP/1.1`, 'Expect: 100-continue', `Content-Length: ${length}`, ...headers].join('\r\n')}\r\n\r\n`;

/** Sends a head, and a body once it is told to; gives the statuses and all that came back until the end of the connection. */
function send(port: number, bytes: string, body = ''): Promise<{ statuses: string[]; text: string }> {
  return new Promise((resolve) => {
    let [text, isSent] = ['', false];
    const socket = connect(port, '127.0.0.1');
    socket.write(bytes);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (!isSent && text.startsWith('HTTP/1.1 100 ')) {
        isSent = true;
        socket.write(body);
      }
    });
    socket.on('error', () => {});
    socket.on('close', () =>
      resolve({ statuses: [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status!), text }),
    );
  });
}

const host = 'Host: localhost';
const json = 'Content-Type: application/json';
const close = 'Connection: close';

describe('a client that waits to be told to send its body', () => {
  it.each([
    ['too large', head('/test/echo', 99_999_999, host), '413'],
    ['of no type', head('/v1/query', 4, host), '415'],
    ['for a model that is not open', head('/v1/query', 4, host, json), '503'],
    ['from a page of elsewhere', head('/v1/query', 4, host, json, 'Origin: https://evil.example'), '403'],
    ['for no path', head('/none', 4, host), '404'],
    ['for no host', head('/v1/query', 4, json), '400'],
  ])(
    'has the answer at once where its headers suffice, and the end of the connection: %s',
    async (_, bytes, status) => {
      const { statuses, text } = await send(await serve(), bytes, 'body');
      expect(statuses).toEqual([status]);
      expect(text.toLowerCase()).toContain('\r\nconnection: close\r\n');
    },
  );

  it('has it where it has no key, too, or where there is no room', async () => {
    const keys = parseAccessKeys(createAccessKey('ann').line, 'keys.txt');
    const locked = await serve({ keys: () => keys });
    expect((await send(locked, head('/v1/query', 4, host, json))).statuses).toEqual(['401']);
    const busy = await serve({ maxInFlight: 1 });
    const held = connect(busy, '127.0.0.1');
    held.write(`POST /test/echo HTTP/1.1\r\n${host}\r\nContent-Length: 4\r\n\r\nab`);
    await expect.poll(async () => (await fetch(`http://127.0.0.1:${busy}/`)).status).toBe(429);
    expect((await send(busy, head('/test/echo', 4, host))).statuses).toEqual(['429']);
    held.destroy();
  });

  it.each(['/test/echo', '/test/stream'])('is told once where its body is wanted: %s', async (path) => {
    const { statuses, text } = await send(await serve(), head(path, 4, host, close), 'body');
    expect(statuses).toEqual(['100', '200']);
    expect(text).toMatch(/body(?:\r\n0\r\n\r\n)?$/);
  });

  it('keeps its connection where it was told', async () => {
    const next = `POST /test/echo HTTP/1.1\r\n${host}\r\n${close}\r\nContent-Length: 2\r\n\r\nok`;
    const { statuses } = await send(await serve(), head('/test/echo', 4, host), `body${next}`);
    expect(statuses).toEqual(['100', '200', '200']);
  });

  it('need not wait', async () => {
    const port = await serve();
    const { statuses } = await send(port, `${head('/test/echo', 4, host, close)}body`);
    expect(statuses.at(-1)).toBe('200');
    // HTTP/1.0 has nothing to be told by.
    const old = head('/test/echo', 4, host, close).replace('HTTP/1.1', 'HTTP/1.0');
    expect((await send(port, `${old}body`)).statuses).toEqual(['200']);
  });
});
