import assert from 'node:assert/strict';
import { FuzzError } from '@fuzzqe/core';
import { createApp, problemOf } from '@fuzzqe/engine/api';
import { documentation } from '@fuzzqe/engine/documentation';
import { mcpPart } from '@fuzzqe/mcp';
import { inferenceProtocolPart } from '@fuzzqe/serve';
import { sparqlPart } from '@fuzzqe/sparql';
import fc from 'fast-check';
import type { Door } from '../door.ts';
import { smallEngine } from './bundles.ts';
import { type HttpInput, httpInput } from './http-inputs.ts';
import { expectTensors, inferenceInput, queriesOf } from './inference-requests.ts';
import { expectReplies, mcpInput } from './mcp-requests.ts';

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
  if (where.startsWith('/mcp'))
    return bound + 65_536 * Math.min(100, 1 + (body ?? '').split('"jsonrpc"').length);
  if (status >= 400) return bound;
  if (method !== 'POST' && !/entities|relations|sparql/.test(where)) return bound + (1 << 18);
  if (method !== 'POST' || where === '/sparql') return bound + 1024 * entities;
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
const leaks = [process.cwd(), 'node_modules', 'file://', '/tmp/', '.ts:', '.js:', '.mjs:', '\n    at '];

/** The request, or undefined where the platform makes none of it: then no server gets it either. */
function requestOf({ method, path, headers, body }: HttpInput): Request | undefined {
  try {
    const hasBody = body !== null && !['GET', 'HEAD'].includes(method);
    return new Request(new URL(path, 'http://door'), {
      method,
      headers: headers.map(([key, value]): [string, string] => [key, value]),
      ...(hasBody ? { body: Buffer.from(body, 'latin1') } : {}),
    });
  } catch {
    return undefined;
  }
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

/** The whole of an answer, or what a stream that waits for news begins with. */
async function textOf(response: Response, { body }: HttpInput): Promise<string> {
  const waits =
    /subscriptions[/\\]/.test(body ?? '') && response.headers.get('content-type') === 'text/event-stream';
  if (!waits || response.body === null) return response.text();
  const reader = response.body.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return Buffer.from(value ?? []).toString();
}

/** Holds what was taken to what it may be. */
function expectAnswer({ method, path }: HttpInput, answer: string): void {
  if (method !== 'POST') return;
  if (path.startsWith('/mcp')) expectReplies(answer);
  else if (path.startsWith('/v2')) expectTensors(answer);
  else if (/query$/.test(path))
    assert.ok(Array.isArray((JSON.parse(answer) as { answers: unknown }).answers));
  else if (/batch$/.test(path)) expectLines(answer);
}

/** Holds a refusal to what its protocol says of one. Throws: FuzzError `usage`, which it is. */
function refuse({ method, path }: HttpInput, response: Response, answer: string): never {
  const { status, headers } = response;
  const type = headers.get('content-type');
  if (type !== 'application/problem+json' && path.startsWith('/mcp')) {
    expectReplies(answer);
    throw new FuzzError('usage', `status ${status}`);
  }
  const expected = path.startsWith('/v2') ? 'application/json' : 'application/problem+json';
  assert.equal(type, expected);
  if (method === 'HEAD') throw new FuzzError('usage', `status ${status}`);
  if (path.startsWith('/v2')) {
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
  assert.equal(problem.requestId, headers.get('x-request-id'));
  throw new FuzzError('usage', `${problem.status} ${problem.code}`);
}

/** The HTTP API and what the command mounts beside it, without a socket. */
export const httpDoors: readonly Door[] = [
  {
    name: 'http',
    description: 'requests to every endpoint: the API, SPARQL, the Open Inference Protocol, MCP, documents',
    ending: '.json',
    inputs: fc
      .oneof(
        { weight: 3, arbitrary: httpInput },
        { weight: 2, arbitrary: inferenceInput },
        { weight: 2, arbitrary: mcpInput },
      )
      .map((each) => Buffer.from(JSON.stringify(each))),
    refusals: ['usage'],
    async open() {
      const { engine, close } = await smallEngine();
      const defects: unknown[] = [];
      const onError = (error: unknown): void => void defects.push(error);
      const mount = [documentation(), sparqlPart(), inferenceProtocolPart(), mcpPart({ onError })];
      const app = createApp(engine, { mount, onError });
      return {
        async attempt(bytes) {
          const given = JSON.parse(Buffer.from(bytes).toString()) as HttpInput;
          const request = requestOf(given);
          if (request === undefined) return;
          const response = await app.request(request);
          const answer = await textOf(response, given);
          const { status } = response;
          const defect = defects.splice(0).find((each) => !mayPass(problemOf(each, '').status));
          if (defect !== undefined)
            throw defect instanceof FuzzError ? new Error(`status ${status}: ${defect}`) : defect;
          assert.ok(mayPass(status), `status ${status}: ${answer.slice(0, 500)}`);
          const most = longestAnswer(given, status, answer);
          assert.ok(answer.length <= most, `an answer of ${answer.length} characters, more than ${most}`);
          assert.ok(response.headers.get('x-request-id'), 'an answer without its id');
          // What the client sent may come back in an error.
          const sent = JSON.stringify(given);
          const leak = leaks.find((each) => answer.includes(each) && !sent.includes(each));
          assert.equal(leak, undefined, `the answer holds ${leak}: ${answer.slice(0, 500)}`);
          if (status >= 400) refuse(given, response, answer);
          expectAnswer(given, answer);
        },
        close,
      };
    },
  },
];
