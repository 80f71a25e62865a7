import { Agent, createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FuzzError } from '@fuzzqe/core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { urgentPaths } from '../access/health-paths.ts';
import { createQueryHandler } from '../door/query-handler.ts';
import { createRequestAdmission } from '../door/request-admission.ts';
import { createEpochGate } from '../epochs/epoch-gate.ts';
import { createLog } from '../telemetry/log.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { keepConnections } from './connections.ts';
import { createRefusalPauses, type RefusalPauses } from './refusal-pauses.ts';

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

interface Options {
  readonly maxInFlight: number;
  readonly refusal?: FuzzError;
  /** Default: connections do not rest after refusals. */
  readonly pauses?: RefusalPauses;
}

/** A front door in an overload that does not end, and a client with one connection. */
async function inOverload({ maxInFlight, refusal, pauses = { begin: () => false } }: Options) {
  const lines: Record<string, unknown>[] = [];
  const server = createServer();
  servers.push(server);
  const metrics = createMetrics({
    connections: () => 0,
    inFlight: () => 0,
    models: () => [],
  });
  /** How many the parser had. */
  let parsed = 0;
  let sockets = 0;
  const connections = keepConnections(server, {
    maxConnections: 4,
    onRefused() {},
    scheduler: { isOverloaded: true, hurry() {}, begin: (work: () => void): void => work() },
    pauses,
    urgentPaths,
  });
  const admission = createRequestAdmission({
    application: (_, response) => response.end('the application'),
    queries: createQueryHandler({
      epochs: createEpochGate(undefined, 1000),
      async answerQuery() {
        if (refusal !== undefined) throw refusal;
        return '{}';
      },
      admit: () => 'ann',
      bodyLimit: 1000,
    }),
    checkCaller: () => undefined,
    admit: () => undefined,
    connections,
    maxInFlight,
    isReady: () => true,
    log: createLog({ level: 'debug', write: (line) => lines.push(JSON.parse(line)) }),
    metrics,
    tracing: undefined,
  });
  server.on('connection', () => {
    sockets += 1;
  });
  server.on('request', (incoming, response) => {
    parsed += 1;
    admission.listener(incoming, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const { port } = server.address() as AddressInfo; // of TCP
  const ask = (method: string, path: string): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const sent = request(
        { port, host: '127.0.0.1', agent, method, path, headers: { 'x-request-id': 'mine' } },
        (response: IncomingMessage) => {
          const pieces: Buffer[] = [];
          response.on('data', (piece: Buffer) => pieces.push(piece));
          response.on('end', () => {
            // Of the moment; and a hint of how long Node keeps a connection.
            const { date, 'keep-alive': _, ...headers } = response.headers;
            expect(Date.parse(date!)).toBeGreaterThan(0);
            resolve({ status: response.statusCode, headers, body: Buffer.concat(pieces) });
          });
        },
      );
      sent.on('error', reject);
      sent.end(method === 'POST' ? '{"query":"e1"}' : undefined);
    });
  return { ask, lines, metrics, parsed: () => parsed, sockets: () => sockets };
}

describe('a request that is refused in an overload', () => {
  it('is told, counted and logged, on a connection that goes on, and health is answered', async () => {
    const { ask, lines, metrics, sockets } = await inOverload({ maxInFlight: 0 });
    for (const [method, path] of [
      ['GET', '/v1/relations'],
      ['POST', '/v1/query'],
    ] as const) {
      const { status, headers } = await ask(method, path);
      expect([status, headers['retry-after']]).toEqual([429, expect.stringMatching(/^\d+$/)]);
    }
    for (const path of [...urgentPaths, '/metrics']) expect((await ask('GET', path)).status, path).toBe(200);
    expect(sockets()).toBe(1);
    expect(lines.slice(0, 2)).toMatchObject([
      { level: 'debug', method: 'GET', path: '/v1/relations', refused: 'in-flight' },
      { level: 'debug', method: 'POST', path: '/v1/query', refused: 'in-flight' },
    ]);
    expect(await metrics.text()).toContain('fuzzqe_refused_total{reason="in-flight"} 2');
  });

  it('has the words of the queue that refuses it, in any language', async () => {
    const refusal = new FuzzError('overloaded', 'zu viele Anfragen für 1 €: später', { retryAfter: 7 });
    const { ask, lines, metrics } = await inOverload({ maxInFlight: 9, refusal });
    const refused = await ask('POST', '/v1/query');
    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '7' } });
    expect(JSON.parse(refused.body.toString())).toMatchObject({ detail: refusal.message });
    expect(lines).toMatchObject([{ level: 'debug', refused: 'waiting' }]);
    expect(await metrics.text()).toContain('fuzzqe_refused_total{reason="waiting"} 1');
    expect((await ask('GET', '/v1/query')).body.toString()).toBe('the application');
  });
});

describe('a connection that was refused', () => {
  /** RefusalPauses that the test ends, of which one after the last refusal of another kind is none. */
  const pauses = () => {
    const ends: (() => void)[] = [];
    const late: boolean[] = [];
    const begin: RefusalPauses['begin'] = (isLate, end) => {
      late.push(isLate);
      ends.push(end);
      return true;
    };
    return { begin, late, end: () => ends.shift()?.() };
  };

  it('is left alone: what it sends meanwhile waits, and is refused, but for health', async () => {
    const held = pauses();
    const refusal = new FuzzError('overloaded', 'later', { retryAfter: 7 });
    const { ask, lines, parsed } = await inOverload({ maxInFlight: 9, refusal, pauses: held });
    expect((await ask('POST', '/v1/query')).status).toBe(429);
    expect((await ask('GET', '/livez')).status).toBe(200);
    let isAnswered = false;
    const second = ask('GET', '/v1/relations').then((answer) => {
      isAnswered = true;
      return answer;
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(isAnswered).toBe(false);
    held.end();
    // There would have been room for this one: it is refused for what it did not wait.
    expect((await second).status).toBe(429);
    expect(lines.map(({ refused }) => refused)).toEqual(['waiting', 'late']);
    expect(held.late).toEqual([false, true]);
    held.end();
    expect((await ask('GET', '/v1/relations')).status).toBe(200);
    expect(parsed()).toBe(4);
  });

  it('rests for at least 50 ms, for longer where many do, and after an overload no more', async () => {
    vi.useFakeTimers();
    try {
      let at = 0;
      const { begin } = createRefusalPauses(() => at);
      const ended: number[] = [];
      const pass = (milliseconds: number): void => {
        for (let i = 0; i < milliseconds; i += 1) {
          at += 1;
          vi.advanceTimersByTime(1);
        }
      };
      const began = Array.from({ length: 1000 }, () => begin(false, () => ended.push(at)));
      expect(began).not.toContain(false);
      pass(49);
      expect(ended).toHaveLength(0);
      pass(1);
      expect(ended).toHaveLength(100);
      pass(200);
      expect(ended).toHaveLength(1000);
      expect(new Set(ended)).toEqual(new Set([50, 75, 100, 125, 150, 175, 200, 225, 250]));
      // Nothing was refused for want of room for a second.
      pass(749);
      expect(begin(true, () => {})).toBe(true);
      pass(2);
      expect(begin(true, () => {})).toBe(false);
      expect(begin(false, () => {})).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });
});
