import { type IncomingHttpHeaders, request } from 'node:http';
import { createModelRegistry } from '@fuzzqe/api';
import { afterEach, describe, expect, it } from 'vitest';
import { type RunningServer, type ServerOptions, startServer } from '../server.ts';
import { createLog } from '../telemetry/log.ts';
import { createAccessKey, parseAccessKeys } from './access-keys.ts';
import { type CallerCheckOptions, createCallerCheck } from './caller-check.ts';

const servers: RunningServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** Asks a server of these options on the loopback address, whose models are not open: 503 is the answer of a route. */
async function serve(options: Partial<ServerOptions> = {}): Promise<{
  ask: (path: string, headers?: IncomingHttpHeaders, method?: string) => Promise<number | undefined>;
  body: (path: string, headers: IncomingHttpHeaders) => Promise<string>;
}> {
  const server = await startServer({
    models: createModelRegistry(['later']),
    port: 0,
    closeNotice: 0,
    log: createLog({ level: 'silent' }),
    ...options,
  });
  servers.push(server);
  const send = (path: string, headers: IncomingHttpHeaders, method: string): Promise<[number, string]> =>
    new Promise((resolve, reject) => {
      const sending = request(
        { host: '127.0.0.1', port: server.port, path, method, headers },
        async (response) => {
          let text = '';
          for await (const chunk of response) text += chunk;
          resolve([response.statusCode ?? 0, text]);
        },
      );
      sending.on('error', reject);
      sending.end();
    });
  return {
    ask: async (path, headers = {}, method = 'GET') => (await send(path, headers, method))[0],
    body: async (path, headers) => (await send(path, headers, 'GET'))[1],
  };
}

const asked = (headers: IncomingHttpHeaders, options: Partial<CallerCheckOptions> = {}): boolean =>
  createCallerCheck({ allowHost: undefined, cors: undefined, isPrivate: () => true, ...options })(headers) ===
  undefined;

describe('a server on this machine only, without keys', () => {
  it('answers no page whose name points at it and no page of elsewhere, by any route, but for health', async () => {
    const { ask, body } = await serve();
    const own = { host: 'localhost:1' };
    for (const foreign of [
      { host: 'evil.example' },
      { host: 'evil.example:8080', origin: 'http://evil.example:8080' },
      { ...own, origin: 'https://evil.example' },
      { ...own, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
    ]) {
      for (const path of ['/', '/v1/relations', '/sparql?query=x', '/metrics', '/none'])
        expect([path, await ask(path, foreign)]).toEqual([path, 403]);
      expect(await ask('/v1/query', { ...foreign, 'content-type': 'text/plain' }, 'POST')).toBe(403);
      expect(await ask('/v1/query', foreign, 'OPTIONS')).toBe(403);
      expect(await ask('/livez', foreign)).toBe(200);
      expect([await ask('/readyz', foreign), await ask('/healthz', foreign)]).toEqual([503, 503]);
    }
    expect([await ask('/metrics'), await ask('/metrics', own), await ask('/', own)]).toEqual([200, 200, 503]);
    const { detail, hint, code } = JSON.parse(await body('/', { host: 'evil.example' }));
    expect([code, detail]).toEqual(['forbidden', 'host: expected a name of this server, got "evil.example"']);
    expect(hint).toContain('its setting allowHost');
    expect(await body('/metrics', {})).toContain('fuzzqe_refused_total{reason="caller"} 29');
  });

  it('is called by its names with any port, by links, and by pages of this machine and what cors names', () => {
    for (const host of [
      'localhost',
      'LOCALHOST:9',
      '127.0.0.1:18080',
      '127.0.0.2',
      '[::1]:8080',
      '[::1]',
      '[0:0:0:0:0:0:0:1]:9',
      '[::ffff:127.0.0.1]:9',
    ])
      expect([host, asked({ host })]).toEqual([host, true]);
    for (const host of [
      '[::ffff:128.0.0.1]',
      '[::7f00:1]',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      '127.evil.example',
      'evil.example:80@localhost',
      '192.168.1.5',
      'localhost/',
      '',
    ])
      expect([host, asked({ host })]).toEqual([host, false]);
    const host = 'localhost:8080';
    expect(asked({ host, origin: 'http://localhost:5173' })).toBe(true);
    expect(asked({ host, origin: 'http://[::1]:5173' })).toBe(true);
    for (const origin of ['null', 'https://localhost.evil.example', 'chrome-extension://localhost', ''])
      expect([origin, asked({ host, origin })]).toEqual([origin, false]);
    const link = { host, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    expect(asked({ ...link, 'sec-fetch-dest': 'document' })).toBe(true);
    expect(asked({ ...link, 'sec-fetch-dest': 'iframe' })).toBe(false);
    expect(asked({ host, 'sec-fetch-site': 'same-origin' })).toBe(true);
    const origin = 'https://a.example';
    expect(asked({ host, origin }, { cors: ['https://a.example'] })).toBe(true);
    expect(asked({ host, origin }, { cors: 'https://b.example' })).toBe(false);
    expect(asked({ host, origin: 'null' }, { cors: '*' })).toBe(true);
    expect(asked({ host: 'evil.example', origin }, { cors: '*' })).toBe(false);
  });

  it('has further names where they are given, and any with *, each with its own pages alone', async () => {
    const named = await serve({ allowHost: ['Graph.example', '::2'] });
    const origin = 'https://graph.example';
    for (const host of ['graph.example:9', 'localhost', '[::2]:9'])
      expect([host, await named.ask('/metrics', { host, origin })]).toEqual([host, 200]);
    expect(await named.ask('/', { host: 'evil.example' })).toBe(403);
    const any = { allowHost: ['*'] };
    expect(asked({ host: 'other.example' }, any)).toBe(true);
    expect(asked({ host: 'other.example', origin: 'https://other.example' }, any)).toBe(true);
    expect(asked({ host: 'other.example', origin: 'https://evil.example' }, any)).toBe(false);
    await expect(serve({ allowHost: ['https://graph.example'] })).rejects.toMatchObject({
      code: 'config',
      path: 'allowHost',
    });
    await expect(serve({ api: { cors: ['https://graph.example/'] } })).rejects.toMatchObject({
      code: 'usage',
      path: '$.api.cors',
    });
    await expect(serve({ allowHost: ['graph.example:80'] })).rejects.toThrow('got "graph.example:80"');
  });
});

describe('any other server', () => {
  const foreign = { host: 'evil.example', origin: 'https://evil.example' };

  it('is called by any name: on an address of others, or with keys', async () => {
    const open = await serve({ host: '0.0.0.0' });
    expect(await open.ask('/metrics', foreign)).toBe(200);
    const { line, key } = createAccessKey('ann');
    const keys = parseAccessKeys(line, 'keys.txt');
    const keyed = await serve({ keys: () => keys });
    expect(await keyed.ask('/metrics', foreign)).toBe(401);
    expect(await keyed.ask('/metrics', { ...foreign, authorization: `Bearer ${key}` })).toBe(200);
  });

  it('has the names that it is given, whatever else it has', async () => {
    const { ask } = await serve({ host: '0.0.0.0', allowHost: ['graph.example'] });
    expect([await ask('/metrics', foreign), await ask('/metrics', { host: 'graph.example' })]).toEqual([
      403, 200,
    ]);
  });
});
