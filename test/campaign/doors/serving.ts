import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { FuzzError } from '@fuzzqe/core';
import { tinyBundle } from '@fuzzqe/parity/testing';
import fc, { type Arbitrary } from 'fast-check';
import { askOnce, openSocket } from '../../../bench/serve/http-socket.mjs';
import type { Door } from '../door.ts';
import { mutated } from '../mutations.ts';
import { expectQuiet, startServing } from './server-process.ts';

const post = (path: string, body: string, type = 'application/json'): Buffer =>
  Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
const question = post('/v1/query', '{"query":"and(project(r0, e1), project(r1^-1, e5))","k":5}');
const health = Buffer.from('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');

const acceptable: ReadonlySet<number> = new Set([200, 429, 503]);

/** How a server is ended while it works. */
interface RestartInput {
  /** Connections that ask again and again. */
  readonly clients: number;
  /** Connections that have sent so many bytes of a request, and wait. */
  readonly half: readonly number[];
  readonly milliseconds: number;
  readonly signal: 'SIGTERM' | 'SIGINT';
  /** Milliseconds after which it is told again, which is meant to end it at once. */
  readonly again: number | null;
}
const restart: Arbitrary<RestartInput> = fc.record({
  clients: fc.integer({ min: 1, max: 40 }),
  half: fc.array(fc.integer({ min: 0, max: question.length - 1 }), { maxLength: 8 }),
  milliseconds: fc.integer({ min: 0, max: 600 }),
  signal: fc.constantFrom('SIGTERM', 'SIGTERM', 'SIGINT'),
  again: fc.option(fc.integer({ min: 0, max: 500 }), { nil: null, freq: 4 }),
});

/**
 * Clients in a closed loop. `lost` counts requests that were sent on a connection that ended without their answer; but not the first
 * one on a connection that was made when the server had been told to end: the system may have made it where nobody takes it any more.
 */
function keepAsking(port: number, count: number) {
  const seen = { answered: 0, lost: 0, wrong: 0 };
  let [isOver, isEnding] = [false, false];
  const open = (): void => {
    if (isOver) return;
    let [isBusy, opened, isLate] = [false, false, false];
    const ask = (): void => {
      isBusy = true;
      socket.send(question);
    };
    const socket = openSocket(port, {
      onOpen() {
        opened = true;
        isLate = isEnding;
        ask();
      },
      onResponse({ status, closes }) {
        isBusy = false;
        isLate = false;
        seen.answered++;
        if (!acceptable.has(status)) seen.wrong++;
        if (!closes && !isOver) {
          ask();
          return;
        }
        socket.close();
        open();
      },
      onEnd() {
        if (isBusy && !isLate) seen.lost++;
        if (opened) open();
      },
    });
  };
  for (let i = 0; i < count; i++) open();
  return {
    seen,
    /** Before the server is told to end. */
    ending(): void {
      isEnding = true;
    },
    stop(): void {
      isOver = true;
    },
  };
}

function halfOpen(port: number, bytes: number): Socket {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => {});
  socket.on('connect', () => {
    if (bytes > 0) socket.write(question.subarray(0, bytes));
  });
  return socket;
}

/** Messages of HTTP/1.1, one after the other on one connection, well-formed and not. */
const messages: Arbitrary<Uint8Array> = fc
  .array(
    fc.oneof(
      fc.constantFrom<Uint8Array>(
        question,
        health,
        post('/v1/query/batch', '{"query":"e1"}\n{"query":"nobody"}\n', 'application/x-ndjson'),
        Buffer.from(
          'POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n{"query":"e1","k"\r\n3\r\n:1}\r\n0\r\n\r\n',
        ),
        Buffer.from('GET / HTTP/1.0\r\n\r\n'),
        Buffer.from('GET /v1/entities?q=e HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'),
        Buffer.from('HEAD /healthz HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n\r\n'),
        Buffer.from(
          'GET /healthz HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
        ),
        Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
      ),
      fc
        .integer({ min: 2, max: 60 })
        .map((times) => Buffer.concat(Array.from({ length: times }, () => health))),
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((all) => Buffer.concat(all));
const words = [
  '\r\n',
  '\r\n\r\n',
  '\n',
  ': ',
  'Content-Length: 5\r\n',
  'Content-Length: -1\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Transfer-Encoding: gzip, chunked\r\n',
  'Host: other\r\n',
  'HTTP/1.1',
  'HTTP/9.9',
  'ffffffffffffffff\r\n',
  '0\r\n\r\n',
  Uint8Array.of(0),
  Uint8Array.of(22, 3, 1, 2, 0, 1),
];

/** The served command, over sockets. */
export const servingDoors: readonly Door[] = [
  {
    name: 'sockets',
    description: 'bytes on connections of the served command, pipelined, cut off and malformed requests',
    ending: '.http',
    inputs: mutated(messages, words),
    refusals: ['usage'],
    async open() {
      const { directory } = await tinyBundle('campaign');
      const serving = await startServing('serve', directory);
      return {
        async attempt(input) {
          const statuses: number[] = [];
          await new Promise<void>((resolve) => {
            let timer: NodeJS.Timeout;
            const finish = (): void => {
              clearTimeout(timer);
              socket.close();
              resolve();
            };
            // Half a request waits for its rest: a moment of silence is enough here.
            const later = (): void => {
              clearTimeout(timer);
              timer = setTimeout(finish, 60);
            };
            const socket = openSocket(serving.port, {
              onOpen() {
                socket.send(input);
                later();
              },
              onResponse({ status }) {
                statuses.push(status);
                later();
              },
              onEnd: finish,
            });
          });
          const wrong = statuses.find(
            (status) => status >= 500 && status !== 501 && status !== 503 && status !== 504,
          );
          assert.equal(wrong, undefined, `statuses ${statuses.join(' ')}`);
          const { status } = await askOnce(serving.port, health, 5000);
          assert.equal(
            status,
            200,
            `its health after that: ${status}, exit code ${serving.child.exitCode}\n${serving.said()}`,
          );
          expectQuiet(serving.said());
          if (!statuses.includes(200)) throw new FuzzError('usage', `statuses ${statuses.join(' ')}`);
        },
        async close() {
          serving.child.kill('SIGKILL');
          await serving.exit;
          await rm(directory, { recursive: true, force: true });
        },
      };
    },
  },
  {
    name: 'restarts',
    description: 'ends of the served command under load, with connections that have sent half a request',
    ending: '.json',
    inputs: restart.map((each) => Buffer.from(JSON.stringify(each))),
    refusals: [],
    seconds: 120,
    async open() {
      const { directory } = await tinyBundle('campaign');
      return {
        async attempt(bytes) {
          const { clients, half, milliseconds, signal, again } = JSON.parse(
            Buffer.from(bytes).toString(),
          ) as RestartInput;
          const { port, child, exit, said } = await startServing('serve', directory);
          const sockets = half.map((length) => halfOpen(port, length));
          const load = keepAsking(port, clients);
          try {
            await wait(milliseconds);
            load.ending();
            child.kill(signal);
            if (again !== null) {
              await wait(again);
              child.kill(signal);
            }
            const code = await Promise.race([exit, wait(30_000, 'late' as const)]);
            assert.notEqual(code, 'late', `no end within 30 s\n${said()}`);
            // Told twice, it may end by the signal.
            if (again === null) assert.equal(code, 0, `exit code ${code}\n${said()}`);
            await wait(20);
            expectQuiet(said());
            assert.equal(load.seen.wrong, 0, 'a status but 200, 429 and 503');
            if (again === null)
              assert.equal(
                load.seen.lost,
                0,
                `${load.seen.lost} lost of ${load.seen.answered + load.seen.lost}`,
              );
          } finally {
            load.stop();
            for (const socket of sockets) socket.destroy();
            child.kill('SIGKILL');
          }
        },
        close: () => rm(directory, { recursive: true, force: true }),
      };
    },
  },
];
