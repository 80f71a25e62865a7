import assert from 'node:assert/strict';
import { FuzzError } from '@fuzzqe/core';
import { createApp } from '@fuzzqe/engine/api';
import { sparqlPart } from '@fuzzqe/sparql';
import type { Door } from '../door.ts';
import { smallEngine } from './bundles.ts';
import { type HttpInput, httpInput } from './http-inputs.ts';

/** Entities of the bundle behind the door: no answer lists more. */
const entities = 40;

/**
 * The most characters that an answer may have: 20 for one of the request, and beside them a floor for small requests: 4 KiB, and
 * 1 KiB for every entity that was asked for. What is said of the server itself (its documents, its metrics) has 256 KiB.
 */
function longestAnswer({ method, path, headers, body }: HttpInput, status: number): number {
  const head = headers.reduce((sum, [key, value]) => sum + key.length + value.length + 4, 0);
  const sent = method.length + path.length + head + (body?.length ?? 0);
  const bound = 20 * sent + 4096;
  if (status >= 400) return bound;
  const where = path.replace(/\?.*/s, '');
  if (method !== 'POST' && !/entities|relations|sparql/.test(where)) return bound + (1 << 18);
  if (method !== 'POST' || where === '/sparql') return bound + 1024 * entities;
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

/** The HTTP API, without a socket. */
export const httpDoors: readonly Door[] = [
  {
    name: 'http',
    description: 'requests to every endpoint of the HTTP API',
    ending: '.json',
    inputs: httpInput.map((each) => Buffer.from(JSON.stringify(each))),
    refusals: ['usage'],
    async open() {
      const { engine, close } = await smallEngine();
      const defects: unknown[] = [];
      const app = createApp(engine, { mount: [sparqlPart()], onError: (error) => defects.push(error) });
      return {
        async attempt(bytes) {
          const given = JSON.parse(Buffer.from(bytes).toString()) as HttpInput;
          const request = requestOf(given);
          if (request === undefined) return;
          const response = await app.request(request);
          const answer = await response.text();
          const { status } = response;
          const [defect] = defects.splice(0);
          if (defect !== undefined && !mayPass(status))
            throw defect instanceof FuzzError ? new Error(`status ${status}: ${defect}`) : defect;
          assert.ok(mayPass(status), `status ${status}: ${answer.slice(0, 500)}`);
          const most = longestAnswer(given, status);
          assert.ok(answer.length <= most, `an answer of ${answer.length} characters, more than ${most}`);
          assert.ok(response.headers.get('x-request-id'), 'an answer without its id');
          // What the client sent may come back in an error.
          const sent = JSON.stringify(given);
          const leak = leaks.find((each) => answer.includes(each) && !sent.includes(each));
          assert.equal(leak, undefined, `the answer holds ${leak}: ${answer.slice(0, 500)}`);
          if (status < 400) {
            if (given.method === 'POST' && /query$/.test(given.path))
              assert.ok(Array.isArray((JSON.parse(answer) as { answers: unknown }).answers));
            if (given.method === 'POST' && /batch$/.test(given.path)) expectLines(answer);
            return;
          }
          assert.equal(response.headers.get('content-type'), 'application/problem+json');
          if (given.method === 'HEAD') throw new FuzzError('usage', `status ${status}`);
          const problem = JSON.parse(answer) as {
            readonly status: number;
            readonly code: string;
            readonly requestId: string;
          };
          assert.equal(problem.status, status);
          assert.equal(problem.requestId, response.headers.get('x-request-id'));
          throw new FuzzError('usage', `${problem.status} ${problem.code}`);
        },
        close,
      };
    },
  },
];
