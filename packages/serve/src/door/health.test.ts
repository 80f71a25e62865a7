import { connect } from 'node:net';
import { type ApiEnv, createModelRegistry } from '@fuzzqe/api';
import { Hono } from 'hono';
import { afterEach, describe, expect, it } from 'vitest';
import { createAccessKey, parseAccessKeys } from '../access/access-keys.ts';
import { urgentPaths } from '../access/health-paths.ts';
import { inferenceProtocolPart } from '../inference-protocol/inference-protocol-part.ts';
import { type RunningServer, type ServerOptions, startServer } from '../server.ts';
import { createLog } from '../telemetry/log.ts';

const servers: RunningServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** Sends the head of a request; gives all that came back until the server ended the connection. */
function send(port: number, ...lines: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1');
    socket.write(`${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
  });
}

/** A server whose models are not open yet, with what KServe asks, and a route that holds a request until the end of the test. */
async function serve(options: Partial<ServerOptions> = {}) {
  let letGo = (): void => {};
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const routes = (): Hono<ApiEnv> =>
    new Hono<ApiEnv>().get('/gate', async (context) => {
      await gate;
      return context.text('let go');
    });
  const server = await startServer({
    models: createModelRegistry(['later']),
    port: 0,
    closeNotice: 0,
    log: createLog({ level: 'silent', write() {} }),
    api: { mount: [inferenceProtocolPart(), { path: '/test', routes }] },
    ...options,
  });
  servers.push(server);
  const statusesOf = (paths: readonly string[], host = 'localhost'): Promise<string[]> =>
    Promise.all(
      paths.map(async (path) => {
        const answer = await send(server.port, `GET ${path} HTTP/1.1`, `Host: ${host}`);
        return `${path} ${answer.slice(9, 12)}`;
      }),
    );
  return { server, statusesOf, letGo };
}

/** What health says while models open. */
const opening = urgentPaths.map(
  (path) => `${path} ${path.endsWith('live') || path === '/livez' ? 200 : 503}`,
);

describe('health', () => {
  it('is answered by every path that is probed, whatever is under way, without a key and beyond any rate', async () => {
    const keys = parseAccessKeys(createAccessKey('ann').line, 'keys.txt');
    const { statusesOf } = await serve({
      keys: () => keys,
      rateLimit: { perSecond: 0.001, burst: 1 },
      allowHost: ['graph.example'],
    });
    expect(await statusesOf(['/v2', '/v2'], 'graph.example')).toEqual(['/v2 401', '/v2 429']);
    expect(await statusesOf(urgentPaths, '10.0.0.7:8080')).toEqual(opening);

    const busy = await serve({ maxInFlight: 1 });
    const held = busy.statusesOf(['/test/gate']);
    await expect.poll(() => busy.statusesOf(['/v2'])).toEqual(['/v2 429']);
    expect(await busy.statusesOf(urgentPaths)).toEqual(opening);
    busy.letGo();
    expect(await held).toEqual(['/test/gate 200']);
  });

  it('is answered on a connection that is one too many', async () => {
    const { server, statusesOf, letGo } = await serve({ maxConnections: 1 });
    const held = statusesOf(['/test/gate']);
    // Before that, the connection would give way.
    await expect.poll(() => server.metrics.text()).toContain('fuzzqe_http_requests_in_flight 1\n');
    expect(await statusesOf(['/v2'])).toEqual(['/v2 429']);
    const statuses: string[] = [];
    for (const path of urgentPaths) statuses.push(...(await statusesOf([path])));
    expect(statuses).toEqual(opening);
    letGo();
    await held;
  });

  it('is asked by GET or HEAD: anything else is 405, with or without a key', async () => {
    const keys = parseAccessKeys(createAccessKey('ann').line, 'keys.txt');
    for (const options of [{}, { keys: () => keys }]) {
      const { server } = await serve(options);
      for (const path of ['/livez', '/readyz']) {
        const first = (method: string): string => `${method} ${path} HTTP/1.1`;
        for (const method of ['POST', 'DELETE', 'OPTIONS']) {
          const answer = await send(server.port, first(method), 'Host: localhost', 'Content-Length: 0');
          expect(answer).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\n/);
          expect(answer.toLowerCase()).toContain('\r\nallow: get, head\r\n');
          expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toMatchObject({ status: 405, code: 'method' });
        }
        const head = await send(server.port, first('HEAD'), 'Host: localhost');
        expect(head).toMatch(/^HTTP\/1\.1 (?:200|503) [\s\S]*\r\n\r\n$/);
      }
      expect(await server.metrics.text()).toContain('{method="POST",route="/livez",status="405"} 1\n');
    }
  });
});
