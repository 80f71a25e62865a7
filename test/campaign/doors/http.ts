import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { METHODS } from 'node:http';
import { FuzzError } from '@fuzzqe/core';
import { tinyBundle } from '@fuzzqe/parity/testing';
import fc from 'fast-check';
import { openSocket, type RawSocket } from '../../../bench/serve/http-socket.mjs';
import type { Door } from '../door.ts';
import { type Mutation, mutate } from '../mutations.ts';
import { type HttpInput, httpInput } from './http-inputs.ts';
import { expectTensors, inferenceInput, queriesOf } from './inference-requests.ts';
import { expectReplies, mcpInput } from './mcp-requests.ts';
import { expectQuiet, startServing } from './server-process.ts';

/** Entities of the bundle behind the door: no answer lists more. */
const entities = 40;

/**
 * The most characters that an answer may have: 20 for one of the request, and beside them a floor for small requests: 4 KiB, and
 * 1 KiB for every entity that was asked for, 128 characters where tensors list them. What is said of the server itself (its
 * documents, its metrics) has 256 KiB, and a message to assistants, of which at most 100 come at once, 64 KiB.
 */
function longestAnswer({ method, path, headers, body }: HttpInput, status: number, answer: string): number {
  const head = headers.reduce((sum, [key, value]) => sum + key.length + value.length + 4, 0);
  const sent = method.length + path.length + head + (body?.length ?? 0);
  const bound = 20 * sent + 4096;
  const where = path.replace(/\?.*/s, '');
  // Files as they lie on the disk.
  if (where.startsWith('/playground') && status === 200) return Number.POSITIVE_INFINITY;
  if (where.startsWith('/mcp'))
    return bound + 65_536 * Math.min(100, 1 + (body ?? '').split('"jsonrpc"').length);
  if (status >= 400) return bound;
  if (method !== 'POST' && !/entities|relations|sparql/.test(where)) return bound + (1 << 18);
  if (method !== 'POST' || where.endsWith('/sparql')) return bound + 1024 * entities;
  if (where.startsWith('/v2')) return bound + 128 * askedBy(body ?? '') * queriesOf(answer);
  return bound + 1024 * (body ?? '').split('\n').reduce((sum, line) => sum + askedBy(line), 0);
}

/** How many answers a request asks for. */
function askedBy(line: string): number {
  const k = Number(/"k":(\d+)/.exec(line)?.[1] ?? 10);
  return Math.min(entities, k);
}

/** Passing trouble, which may be answered with a status of 500 and more. */
const mayPass = (status: number): boolean => status < 500 || status === 503 || status === 504;

/** What an answer must not hold: where the server's files lie, and frames of a stack. */
const leaks = /node_modules|file:\/\/|\/tmp\/|\.m?[jt]s:\d|\n {4}at /g;

/** Headers that say how a message is cut; bytes of messages have a door of their own. */
const ofTheMessage = new Set([
  ...['host', 'connection', 'content-length', 'transfer-encoding', 'expect', 'upgrade', 'keep-alive'],
]);

/** The bytes of a request, or undefined where no client would send it. */
function bytesOf({ method, path, headers, body }: HttpInput): Uint8Array | undefined {
  let [target, host, lines] = ['', 'localhost', ''];
  if (!METHODS.includes(method)) return undefined;
  try {
    const url = new URL(path, 'http://door');
    target = url.pathname + url.search;
    for (const [key, value] of new Headers(headers.map(([key, value]): [string, string] => [key, value])))
      if (!ofTheMessage.has(key)) lines += `${key}: ${value}\r\n`;
    host = headers.find(([key]) => key === 'host')?.[1] ?? host;
  } catch {
    return undefined;
  }
  const content = ['GET', 'HEAD'].includes(method) ? null : body;
  const length = content === null ? '' : `content-length: ${content.length}\r\n`;
  const head = `${method} ${target} HTTP/1.1\r\nhost: ${host}\r\n${lines}${length}\r\n`;
  return Buffer.from(head + (content ?? ''), 'latin1');
}

/** What came back. */
interface Answer {
  readonly status: number;
  readonly text: string;
  readonly header: (name: string) => string | null;
}

/** Holds the lines of a batch's answer to what they may be. */
function expectLines(answer: string): void {
  for (const text of answer.split('\n').filter(Boolean)) {
    const line = JSON.parse(text) as {
      readonly answer?: { readonly answers: unknown };
      readonly problem?: { readonly status: number };
    };
    if (line.problem === undefined) assert.ok(Array.isArray(line.answer?.answers), text.slice(0, 200));
    else assert.ok(mayPass(line.problem.status), text.slice(0, 200));
  }
}

/** Holds what was taken to what it may be. */
function expectAnswer({ method, path }: HttpInput, answer: string): void {
  if (method !== 'POST') return;
  if (path.startsWith('/mcp')) expectReplies(answer);
  else if (path.startsWith('/v2')) expectTensors(answer);
  else if (/query$/.test(path))
    assert.ok(Array.isArray((JSON.parse(answer) as { answers: unknown }).answers));
  else if (/query\/relations$/.test(path))
    assert.ok(Array.isArray((JSON.parse(answer) as { results: unknown }).results));
  else if (/batch$/.test(path)) expectLines(answer);
}

/** The path as a server understands it: what follows on two slashes is the name of a host. */
const pathname = (path: string): string =>
  URL.canParse(path, 'http://localhost') ? new URL(path, 'http://localhost').pathname : path;

/** Holds a refusal to what its protocol says of one. Throws: FuzzError `usage`, which it is. */
function refuse({ method, path }: HttpInput, { status, header, text: answer }: Answer): never {
  const type = header('content-type');
  if (type !== 'application/problem+json' && path.startsWith('/mcp')) {
    expectReplies(answer);
    throw new FuzzError('usage', `status ${status}`);
  }
  // What is refused by its host or origin, or since there is too much to do, may be refused before it has an endpoint.
  const speaksV2 =
    /^\/v2(\/|$)/.test(pathname(path)) && (![403, 429, 503].includes(status) || type === 'application/json');
  const expected = speaksV2 ? 'application/json' : 'application/problem+json';
  assert.equal(type, expected, `status ${status}: ${answer.slice(0, 500)}`);
  if (method === 'HEAD') throw new FuzzError('usage', `status ${status}`);
  if (speaksV2) {
    const { error } = JSON.parse(answer) as { readonly error: unknown };
    assert.ok(typeof error === 'string' && error !== '', answer.slice(0, 500));
    throw new FuzzError('usage', `${status} ${error}`);
  }
  const problem = JSON.parse(answer) as {
    readonly status: number;
    readonly code: string;
    readonly requestId: string;
  };
  assert.equal(problem.status, status);
  assert.equal(problem.requestId, header('x-request-id'));
  throw new FuzzError('usage', `${problem.status} ${problem.code}`);
}

/** Whether an answer is a stream that stays open for news. */
const staysOpen = ({ body }: HttpInput, head: string): boolean =>
  /subscriptions[/\\]/.test(body ?? '') && /content-type: text\/event-stream/i.test(head);

function answerOf(status: number, head: string, text: string): Answer {
  const header = (name: string): string | null =>
    new RegExp(`^${name}: *(.*?)\\r?$`, 'im').exec(head)?.[1] ?? null;
  return { status, text, header };
}

/** A connection that was idle for so many milliseconds is made again. */
const longestIdle = 1000;

type Pending = Pick<Parameters<typeof openSocket>[1], 'onResponse' | 'onEnd'>;

/** A connection that is kept for one request after the other, and made again when it was closed. */
function keepAlive(port: number) {
  let socket: RawSocket | undefined;
  let lastUsed = 0;
  let pending: Pending = { onResponse() {}, onEnd() {} };
  const close = (): void => {
    socket?.close();
    socket = undefined;
  };
  return {
    close,
    ask: (given: HttpInput, bytes: Uint8Array): Promise<Answer> =>
      new Promise((resolve, reject) => {
        const done = (answer: Answer): void => {
          clearInterval(timer);
          lastUsed = performance.now();
          resolve(answer);
        };
        // A server closes what nobody used for a while, perhaps just now.
        if (performance.now() - lastUsed > longestIdle) close();
        // A stream for news has no end: its beginning is the answer.
        const timer = setInterval(() => {
          const [head = '', text = ''] = socket?.partial().split('\r\n\r\n') ?? [];
          if (text === '' || !staysOpen(given, head)) return;
          close();
          done(answerOf(Number(head.slice(9, 12)), head, text));
        }, 50);
        pending = {
          onResponse({ status, closes, head = '', body = '' }) {
            if (closes) close();
            done(answerOf(status, head, body));
          },
          onEnd(error) {
            clearInterval(timer);
            socket = undefined;
            reject(new Error(`the connection ended without an answer ${error ?? ''}`));
          },
        };
        const options = { bodiless: given.method === 'HEAD' };
        if (socket !== undefined) {
          socket.send(bytes, options);
          return;
        }
        const opened = openSocket(port, {
          bodies: true,
          onOpen: () => opened.send(bytes, options),
          onResponse: (response) => pending.onResponse(response),
          onEnd: (error) => pending.onEnd(error),
        });
        socket = opened;
      }),
  };
}

/** Another request: the body of the one with changes, or its path where it has none. */
function vary(input: Uint8Array, changes: readonly Mutation[]): Uint8Array {
  const given = JSON.parse(Buffer.from(input).toString()) as HttpInput;
  const changed = (text: string): string =>
    Buffer.from(mutate(Buffer.from(text, 'latin1'), changes)).toString('latin1');
  const { path, body } = given;
  return Buffer.from(
    JSON.stringify(
      body === null ? { ...given, path: `/${changed(path.slice(1))}` } : { ...given, body: changed(body) },
    ),
  );
}

/** How many connections ask at once. */
const connections = 8;

/** The served command and that for assistants beside it, over connections that are kept. */
export const httpDoors: readonly Door[] = [
  {
    name: 'http',
    description:
      'requests to every endpoint of the served command: the API, SPARQL, the Open Inference Protocol, MCP, documents, the playground and bundles for it',
    ending: '.json',
    inputs: fc
      .oneof(
        { weight: 3, arbitrary: httpInput },
        { weight: 2, arbitrary: inferenceInput },
        { weight: 2, arbitrary: mcpInput },
      )
      .map((each) => Buffer.from(JSON.stringify(each))),
    vary,
    refusals: ['usage'],
    // Three processes that may wait for a busy machine.
    seconds: 60,
    parallel: connections,
    volume: 'requests',
    async open() {
      const { directory } = await tinyBundle('campaign');
      const servers = [
        await startServing(
          ...['serve', directory, '--workers', '1', '--log-level', 'warn', '--playground', 'bundle'],
        ),
        await startServing('mcp', directory, '--http', '--workers', '1', '--log-level', 'warn'),
      ] as const;
      for (const { exit, said } of servers)
        void exit.then((code) => {
          if (isClosing) return;
          // Whichever requests were under way are those to look at, each by itself.
          process.stderr.write(`the server ended with ${code}\n${said()}`);
          process.exit(3);
        });
      let isClosing = false;
      const clients = servers.map(({ port }) => Array.from({ length: connections }, () => keepAlive(port)));
      return {
        async attempt(input, place) {
          const given = JSON.parse(Buffer.from(input).toString()) as HttpInput;
          const bytes = bytesOf(given);
          if (bytes === undefined) return;
          const answer = await clients[given.path.startsWith('/mcp') ? 1 : 0]![place]!.ask(given, bytes);
          const { status, text, header } = answer;
          assert.ok(mayPass(status), `status ${status}: ${text.slice(0, 500)}`);
          for (const { said } of servers) expectQuiet(said());
          const most = longestAnswer(given, status, text);
          assert.ok(text.length <= most, `an answer of ${text.length} characters, more than ${most}`);
          // Probes are answered before anything else, and files of a page may hold any text.
          if (status === 200 && /^\/(livez|readyz|healthz)\b/.test(given.path)) return;
          if (status === 200 && given.path.startsWith('/playground')) return;
          assert.ok(header('x-request-id'), `an answer without its id: ${status} ${text.slice(0, 500)}`);
          // What the client sent may come back in an error.
          const sent = Buffer.from(bytes).toString('latin1') + JSON.stringify(given);
          const leak = text.match(leaks)?.find((each) => !sent.includes(each));
          assert.equal(leak, undefined, `the answer holds ${leak}: ${text.slice(0, 500)}`);
          if (status >= 400) refuse(given, answer);
          expectAnswer(given, text);
        },
        mebibytes: () => Math.max(...servers.map((server) => server.mebibytes())),
        async close() {
          isClosing = true;
          for (const each of clients.flat()) each.close();
          for (const { child, exit } of servers) {
            child.kill('SIGKILL');
            await exit;
          }
          await rm(directory, { recursive: true, force: true });
        },
      };
    },
  },
];
