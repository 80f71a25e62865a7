import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { type IBindings, SparqlEndpointFetcher } from 'fetch-sparql-endpoint';
import { describe, expect, it } from 'vitest';
import { httpEndpoints } from '../campaign/doors/http-endpoints.ts';
import { command, scratchBundle } from './scratch-bundle.ts';

const { scratch, bundle } = scratchBundle('serve');

/** The command by itself, with one worker thread. */
interface Running {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  readonly port: number;
  readonly said: () => string;
  readonly ended: Promise<number | string>;
}

async function start(path: string, ...flags: readonly string[]): Promise<Running> {
  const child = spawn(process.execPath, [command, 'serve', path, '--port', '0', '--workers', '1', ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => {
      text += part.toString();
    });
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  const portIn = (): number => Number(/http:\/\/127\.0\.0\.1:(\d+)/.exec(text)?.[1]);
  await expect.poll(portIn).toBeGreaterThan(0);
  return { child, port: portIn(), said: () => text, ended };
}

describe('fuzzqe serve', () => {
  it('answers the client fetch-sparql-endpoint however it asks', async () => {
    const { child, port, ended } = await start(bundle);
    const endpoint = `http://127.0.0.1:${port}/sparql`;
    const asked = await fetch(`http://127.0.0.1:${port}/v1/query`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: 'and(project(r0, e1), not(project(r1, e2)))', k: 5, minDegree: 0 }),
    });
    const { answers } = await asked.json();
    const expected = answers.map(({ key, degree }: { readonly key: string; readonly degree: number }) => [
      `urn:fuzzqe:entity:${key}`,
      degree,
    ]);
    expect(expected).toHaveLength(5);
    for (const way of [
      { method: 'GET' },
      { method: 'POST' },
      { method: 'POST', directPost: true },
    ] as const) {
      const client = new SparqlEndpointFetcher(way);
      const query = `PREFIX entity: <urn:fuzzqe:entity:> PREFIX relation: <urn:fuzzqe:relation:>
        SELECT ?x ?degree { entity:e1 relation:r0 ?x MINUS { ?x ^relation:r1 entity:e2 } FILTER(?degree >= 0) }
        ORDER BY DESC(?degree) LIMIT 5`;
      const rows: [string, number][] = [];
      // The stream's items are bindings, by the client's documentation.
      for await (const { x, degree } of (await client.fetchBindings(
        endpoint,
        query,
      )) as AsyncIterable<IBindings>)
        rows.push([x!.value, Number(degree!.value)]);
      expect(rows, JSON.stringify(way)).toEqual(expected);
      await expect(client.fetchBindings(endpoint, 'SELECT ?x { ?x ?y }')).rejects.toThrow(/400/);
    }
    // The thread that read the queries keeps nobody waiting.
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });

  it('serves no route by which the campaign sends nothing', async () => {
    const { child, port, ended } = await start(bundle, '--mcp', 'on', '--playground', 'bundle');
    const { paths } = await (await fetch(`http://127.0.0.1:${port}/openapi.json`)).json();
    child.kill('SIGTERM');
    const routes = Object.entries<object>(paths).flatMap(([path, item]) =>
      Object.keys(item)
        .filter((key) => key !== 'parameters')
        .map((method) => `${method.toUpperCase()} ${path}`),
    );
    const isTried = (route: string): boolean => {
      // A file may lie in a folder.
      const pattern = new RegExp(`^${route.replace('{file}', '.+').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
      return httpEndpoints.some(({ method, path }) => pattern.test(`${method} ${path}`));
    };
    expect(routes).toContain('POST /v1/query/relations');
    expect(routes).toContain('GET /playground/bundles/{model}/{file}');
    expect(routes.filter((route) => !isTried(route))).toEqual([]);
    expect(isTried('GET /v3')).toBe(false);
    expect(await ended).toBe(0);
  });

  it('waits for a request under way when it is told to end, and ends at once when it is told again', async () => {
    const { child, port, said, ended } = await start(bundle, '--close-notice', '100000');
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    const isCut = once(socket, 'close');
    socket.write(
      'POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    );
    await expect
      .poll(async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text())
      .toContain('fuzzqe_http_requests_in_flight 2\n');
    child.kill('SIGTERM');
    await expect.poll(said).toContain('"msg":"closing"');
    await wait(500);
    expect([child.exitCode, child.signalCode, socket.closed]).toEqual([null, null, false]);
    const began = performance.now();
    child.kill('SIGTERM');
    expect(await ended).toBe('SIGTERM');
    await isCut;
    // By itself it would end after 100 seconds.
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  it('takes a new version and goes back to the former under load, without a dropped request', async () => {
    const versions = join(scratch, 'versions');
    mkdirSync(versions);
    cpSync(bundle, join(versions, '1'), { recursive: true });
    const { child, port, said, ended } = await start(versions);
    const agent = new Agent({ keepAlive: true });
    const outcomes = new Map<string, number>();
    let isOver = false;
    const clients = Array.from({ length: 8 }, async () => {
      while (!isOver) {
        const outcome = await ask(port, agent);
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
    });
    const served = async (): Promise<string> => {
      const { models } = await (await fetch(`http://127.0.0.1:${port}/v1/models`)).json();
      return models.map(({ version }: { readonly version: string }) => version).join();
    };
    const answered = (): number => outcomes.get('200') ?? 0;
    const renew = async (version: string): Promise<void> => {
      const before = answered();
      child.kill('SIGHUP');
      await expect.poll(served).toBe(version);
      await expect.poll(answered).toBeGreaterThan(before + 50);
    };
    await expect.poll(answered).toBeGreaterThan(50);
    expect(await served()).toBe('1');
    cpSync(bundle, join(versions, '2'), { recursive: true });
    await renew('2');
    writeFileSync(join(versions, 'current'), '1\n');
    await renew('1');
    // What names no version leaves the server as it is.
    writeFileSync(join(versions, 'current'), '3\n');
    child.kill('SIGHUP');
    await expect.poll(said).toContain('expected a version out of 1, 2');
    expect(await served()).toBe('1');
    rmSync(join(versions, 'current'));
    await renew('2');
    isOver = true;
    await Promise.all(clients);
    agent.destroy();
    expect([...outcomes.keys()]).toEqual(['200']);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });
});

/** The status of a query's answer, or what became of it instead. */
function ask(port: number, agent: Agent): Promise<string> {
  return new Promise((resolve) => {
    const sending = request(
      {
        ...{ host: '127.0.0.1', port, agent, method: 'POST', path: '/v1/query' },
        headers: { 'content-type': 'application/json' },
      },
      (response) => {
        response.resume();
        response.on('end', () => resolve(`${response.statusCode}`));
        response.on('error', ({ message }) => resolve(message));
      },
    );
    sending.on('error', ({ message }) => resolve(message));
    sending.end('{"query":"and(project(r0, e1), project(r1, e2))","k":3}');
  });
}
