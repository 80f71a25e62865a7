import { Agent, createServer, request } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { FuzzError } from '@fuzzqe/core';
import type { Query } from '@fuzzqe/core/query';
import {
  type AnswerOptions,
  createEngine,
  createLocalRanker,
  createQueuedRanker,
  type Engine,
  openBundle,
  openEngine,
  type Ranker,
} from '@fuzzqe/engine';
import { memoryBundle, referenceSessions } from '@fuzzqe/engine/testing';
import { describe, expect, it, vi } from 'vitest';
import { createAccessKey, parseAccessKeys } from './access/access-keys.ts';
import { isLoopback } from './access/caller-check.ts';
import { startServer } from './index.ts';
import { createLog } from './telemetry/log.ts';

async function openReference(): Promise<Engine> {
  const { source, config, parameters } = await memoryBundle();
  return openEngine({ source, sessions: referenceSessions(config, parameters) });
}

const headers = { 'content-type': 'application/json' };
const body = JSON.stringify({ query: 'project(r0, e1)', k: 3 });

/** An engine whose answers wait until they are let go. */
function slow(engine: Engine): {
  engine: Engine;
  letGo: () => void;
  asked: Promise<void>;
  closed: () => boolean;
} {
  let letGo = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let heard = (): void => undefined;
  const asked = new Promise<void>((resolve) => {
    heard = resolve;
  });
  let closed = false;
  return {
    letGo: () => letGo(),
    asked,
    closed: () => closed,
    engine: {
      ...engine,
      // Gives what the engine gives, whichever the mode is.
      answer: (async (query: Query, options?: AnswerOptions) => {
        heard();
        await gate;
        return engine.answer(query, options);
      }) as Engine['answer'],
      async close() {
        closed = true;
        await engine.close();
      },
    },
  };
}

describe('startServer', () => {
  it('answers over HTTP on a free port, and on this machine only', async () => {
    const server = await startServer({ models: await openReference(), port: 0, closeNotice: 0 });
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
    const response = await fetch(`${server.url}/v1/query`, { method: 'POST', headers, body });
    expect(response.status).toBe(200);
    const { answers, suggestions } = await response.json();
    expect(answers.length + suggestions.length).toBeLessThanOrEqual(3);
    expect(answers.length + suggestions.length).toBeGreaterThan(0);
    await server.close();
    await expect(fetch(server.url)).rejects.toThrow();
  });

  it('counts the batches of a model and logs its workers that end, whoever put it there', async () => {
    const { source, config, parameters } = await memoryBundle();
    let end = (_: FuzzError): void => undefined;
    const ended = new Promise<FuzzError>((resolve) => {
      end = resolve;
    });
    const bundle = await openBundle(source);
    const sessions = referenceSessions(config, parameters);
    const open = async () => ({ ranker: createLocalRanker(bundle, { sessions }), ended });
    const engine = createEngine(bundle, await createQueuedRanker({ open }));
    const logged: string[] = [];
    const log = createLog({ write: (text) => void logged.push(text) });
    const server = await startServer({ models: engine, port: 0, closeNotice: 0, log });
    await fetch(`${server.url}/v1/query`, { method: 'POST', headers, body });
    const text = await (await fetch(`${server.url}/metrics`)).text();
    for (const name of ['batch_size', 'queue_seconds', 'compute_seconds'])
      expect(text).toContain(`fuzzqe_${name}_count 1\n`);
    expect(text).toContain('fuzzqe_workers 1\n');
    end(new FuzzError('runtime', 'out of luck'));
    await expect.poll(() => logged.join('')).toMatch(/"message":"out of luck".*"msg":"a worker ended"/);
    await server.close();
  });

  it('names models in its health to whoever has a key, where there are keys', async () => {
    const engine = await openReference();
    const index = { name: 't', state: 'away' } as const;
    const ranker = Object.defineProperties(Object.create(engine.ranker), {
      index: { value: index },
    }) as Ranker; // the same with an index
    const { key, line } = createAccessKey('ann');
    const known = parseAccessKeys(line, 'keys.txt');
    let keys: typeof known | undefined = known;
    const server = await startServer({
      models: { ...engine, ready: true, runtime: engine.runtime, ranker },
      port: 0,
      closeNotice: 0,
      keys: () => keys,
    });
    const seen = async (headers: Record<string, string>) =>
      (await (await fetch(`${server.url}/readyz`, { headers })).json()).indexes;
    const named = { [engine.manifest.name]: 'away' };
    expect(await seen({})).toEqual(['away']);
    expect(await seen({ authorization: `Bearer ${key}x` })).toEqual(['away']);
    expect(await seen({ authorization: `Bearer ${key}` })).toEqual(named);
    keys = undefined;
    expect(await seen({})).toEqual(named);
    await server.close();
  });

  const hasIpv6 = Object.values(networkInterfaces())
    .flat()
    .some((each) => each?.address === '::1');
  it.runIf(hasIpv6)(
    'listens on an address of IPv6 with brackets or without, and on this machine only',
    async () => {
      for (const host of ['::1', '[::1]']) {
        const server = await startServer({ models: await openReference(), host, port: 0, closeNotice: 0 });
        expect(server.url).toBe(`http://[::1]:${server.port}`);
        expect((await fetch(`${server.url}/v1/relations`)).status).toBe(200);
        await server.close();
      }
      expect([isLoopback('[::1]'), isLoopback('[::2]')]).toEqual([true, false]);
    },
  );

  it('answers many requests at once', async () => {
    const server = await startServer({ models: await openReference(), port: 0, closeNotice: 0 });
    // A starved machine is late for a second, and refuses: its clients ask again.
    const ask = async (): Promise<string> => {
      const response = await fetch(`${server.url}/v1/query`, { method: 'POST', headers, body });
      const text = await response.text();
      if (response.status !== 429) return text;
      await setTimeout(1000 * Number(response.headers.get('retry-after')));
      return ask();
    };
    const answers = await Promise.all(Array.from({ length: 50 }, ask));
    expect([...new Set(answers)]).toEqual([expect.stringContaining('"answers"')]);
    await server.close();
  });

  it('refuses a body over the limit even where no length was announced', async () => {
    const server = await startServer({
      models: await openReference(),
      port: 0,
      closeNotice: 0,
      api: { bodyLimit: 1000 },
    });
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const sending = request(`${server.url}/v1/query`, { method: 'POST', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sending.on('error', reject);
      for (let i = 0; i < 20; i += 1) sending.write(' '.repeat(100));
      sending.end();
    });
    expect(status).toBe(413);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    await server.close();
  });

  it('ends the connection of what it refuses before it has come whole, and no other', async () => {
    const { url, close } = await startServer({
      models: await openReference(),
      port: 0,
      closeNotice: 0,
      api: { bodyLimit: 1000 },
    });
    const agent = new Agent({ keepAlive: true });
    const connectionOf = (length: number, text: string): Promise<[number | undefined, string | undefined]> =>
      new Promise((resolve, reject) => {
        const announced = { ...headers, 'content-length': length };
        const sending = request(
          `${url}/v1/query`,
          { method: 'POST', headers: announced, agent },
          (response) => {
            response.resume();
            response.on('end', () => resolve([response.statusCode, response.headers.connection]));
          },
        );
        sending.on('error', reject);
        sending.write(text);
      });
    expect(await connectionOf(1001, '{')).toEqual([413, 'close']);
    expect(await connectionOf(1, '{')).toEqual([400, 'keep-alive']);
    agent.destroy();
    await close();
  });

  it('outlives clients that break off and speak nonsense', async () => {
    const server = await startServer({ models: await openReference(), port: 0, closeNotice: 0 });
    for (const text of [
      'nonsense\r\n\r\n',
      'POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{',
    ]) {
      await new Promise<void>((resolve) => {
        const socket = connect(server.port, '127.0.0.1', () => socket.end(text));
        socket.on('close', () => resolve());
        socket.on('error', () => resolve());
        socket.resume();
      });
    }
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    await server.close();
  });

  it('says which port is in use and how to choose another', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    await expect(startServer({ models: await openReference(), port })).rejects.toMatchObject({
      code: 'runtime',
      message: expect.stringContaining(`port ${port}`),
      // Of no command line, which this caller has not.
      hint: expect.stringMatching(/^Choose another port: \d+, say, or 0 for any free one\.$/),
    });
    other.close();
  });

  it('lets requests under way finish before it closes the engine', async () => {
    const { engine, letGo, asked, closed } = slow(await openReference());
    const server = await startServer({ models: engine, port: 0, closeNotice: 0 });
    const response = fetch(`${server.url}/v1/query`, { method: 'POST', headers, body });
    await asked;
    const closing = server.close();
    await vi.waitFor(() => expect(fetch(`${server.url}/healthz`)).rejects.toThrow(), { timeout: 60_000 });
    expect(closed()).toBe(false);
    letGo();
    expect((await response).status).toBe(200);
    await closing;
    expect(closed()).toBe(true);
    await server.close();
  });

  it('cuts off what outlasts the drain timeout', async () => {
    const { engine, letGo, asked } = slow(await openReference());
    const server = await startServer({ models: engine, port: 0, closeNotice: 0, drainTimeout: 50 });
    const response = fetch(`${server.url}/v1/query`, { method: 'POST', headers, body });
    const failed = expect(response).rejects.toThrow();
    await asked;
    const closing = server.close();
    await failed;
    letGo();
    await closing;
  });
});
