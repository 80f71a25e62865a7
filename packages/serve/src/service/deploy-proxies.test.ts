import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { request } from 'node:https';
import { type AddressInfo, connect, createServer as createListener } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

const read = (path: string): Promise<string> =>
  readFile(fileURLToPath(new URL(`../../../../${path}`, import.meta.url)), 'utf8');

/** Whether a program is on this machine; where it is missing, the reason of what is skipped is printed. */
function hasProgram(name: string, ...version: string[]): boolean {
  const found = spawnSync(name, version).error === undefined;
  if (!found) process.stderr.write(`skipped: ${name} is not on this machine\n`);
  return found;
}
const [haproxy, nginx] = [hasProgram('haproxy', '-v'), hasProgram('nginx', '-v')];
const openssl = hasProgram('openssl', 'version');

let folder = '';
let upstream: Server;
/** What the server behind was asked for, as WHATWG URL and Hono read it. */
const reached: string[] = [];
const running: ChildProcess[] = [];

const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port; // of TCP

async function freePort(): Promise<number> {
  const listener = createListener().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const port = portOf(listener);
  listener.close();
  await once(listener, 'close');
  return port;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-proxies-'));
  upstream = createServer((incoming, outgoing) => {
    const { pathname } = new URL(incoming.url ?? '', 'http://localhost');
    reached.push(decodeURIComponent(pathname));
    outgoing.end(`asked as ${incoming.headers.host}`);
  }).listen(0, '127.0.0.1');
  await once(upstream, 'listening');
});
afterEach(() => {
  for (const each of running.splice(0)) each.kill('SIGKILL');
});
afterAll(async () => {
  upstream.close();
  upstream.closeAllConnections();
  await rm(folder, { recursive: true, force: true });
});

async function start(command: string, flags: readonly string[], port: number): Promise<void> {
  const child = spawn(command, flags, { stdio: ['ignore', 'ignore', 'inherit'] });
  running.push(child);
  const isOpen = (): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false));
      socket.unref().on('connect', () => socket.end());
    });
  await expect.poll(isOpen, { timeout: 20_000 }).toBe(true);
}

/** The status of a path that is sent letter by letter, as no client would. */
async function statusOf(port: number, path: string): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  socket.end(`GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`);
  let text = '';
  for await (const chunk of socket) text += chunk;
  return Number(text.split(' ')[1]);
}

const hidden = [
  '/metrics',
  '/metrics?a=b',
  '/%6detrics',
  '/%6D%65trics',
  '/./metrics',
  '/x/../metrics',
  '/x/%2e%2E/metrics',
  '/%2e/metrics',
  '/x\\..\\metrics',
  '/.\\metrics',
  'http://localhost/metrics',
];

describe.runIf(haproxy)('deploy/haproxy/haproxy.cfg', () => {
  it('passes queries on, and metrics by none of their spellings', { timeout: 60_000 }, async () => {
    const port = await freePort();
    const text = (await read('deploy/haproxy/haproxy.cfg'))
      .replace('bind :8080', `bind 127.0.0.1:${port}`)
      .replaceAll(/127\.0\.0\.1:808[12]/g, `127.0.0.1:${portOf(upstream)}`);
    const run = async (configuration: string): Promise<void> => {
      const file = join(folder, 'haproxy.cfg');
      await writeFile(file, configuration);
      await start('haproxy', ['-f', file], port);
      await expect.poll(() => statusOf(port, '/v1/models'), { timeout: 20_000 }).toBe(200);
      reached.length = 0;
    };
    await run(text);
    for (const path of hidden) expect([400, 404], path).toContain(await statusOf(port, path));
    expect(reached.filter((path) => path !== '/readyz')).toEqual([]);
    for (const path of ['/v1/entities/metrics', '/v1/entities/a%2F..%2Fb', '/v1/entities/..b.', '/a%20b'])
      expect(await statusOf(port, path), path).toBe(200);
    // Negative control: without the rules of spellings, metrics are passed on.
    for (const each of running.splice(0)) {
      each.kill('SIGKILL');
      await once(each, 'exit');
    }
    await run(text.replaceAll(/^ +http-request deny status 400.*\n/gm, '').replace('path,url_dec', 'path'));
    for (const path of ['/%6detrics', '/x/../metrics']) expect(await statusOf(port, path)).toBe(200);
    expect(reached.filter((path) => path === '/metrics')).toHaveLength(2);
  });
});

describe.runIf(nginx && openssl)('deploy/nginx/fuzzqe.conf', () => {
  it('ends TLS, hands the name on, and hides metrics', { timeout: 60_000 }, async () => {
    const port = await freePort();
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'chain.pem')];
    execFileSync(
      'openssl',
      [
        ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
        ...['-days', '1', '-subj', '/CN=graph.example', '-addext', 'subjectAltName=DNS:graph.example'],
        ...['-keyout', key, '-out', certificate],
      ],
      { stdio: 'ignore' },
    );
    const site = (await read('deploy/nginx/fuzzqe.conf'))
      .replace('127.0.0.1:8080', `127.0.0.1:${portOf(upstream)}`)
      .replace('listen 443', `listen 127.0.0.1:${port}`)
      .replace('/etc/ssl/graph.example/fullchain.pem', certificate)
      .replace('/etc/ssl/graph.example/privkey.pem', key);
    const file = join(folder, 'nginx.conf');
    const scratch = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${folder};`)
      .join('\n');
    await writeFile(
      file,
      `daemon off; master_process off; pid ${folder}/nginx.pid; error_log stderr crit;
events {}
http { access_log off; ${scratch}
${site}}`,
    );
    await start('nginx', ['-c', file, '-p', folder], port);
    reached.length = 0;
    const ca = await readFile(certificate);
    const ask = (path: string): Promise<[number | undefined, string]> =>
      new Promise((resolve, reject) => {
        const asked = { host: '127.0.0.1', port, path, ca, servername: 'graph.example' };
        request({ ...asked, headers: { host: 'graph.example' } }, async (response) => {
          let text = '';
          for await (const chunk of response) text += chunk;
          resolve([response.statusCode, text]);
        })
          .once('error', reject)
          .end();
      });
    expect(await ask('/v1/models')).toEqual([200, 'asked as graph.example']);
    for (const path of hidden.filter((each) => each.startsWith('/') && !each.includes('\\')))
      expect([path, (await ask(path))[0]]).toEqual([path, 404]);
    expect(reached).toEqual(['/v1/models']);
  });

  it('is the example of the page', async () => {
    const [, shown] = /```nginx\n(.*?)```/s.exec(await read('docs/serving.md'))!;
    expect((await read('deploy/nginx/fuzzqe.conf')).replace(/^#.*\n/, '')).toBe(shown);
  });
});
