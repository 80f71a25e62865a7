import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Problem, problemHeaders, problemOf } from '@fuzzqe/api';
import type { GivenUpRequest } from './given-up-request.ts';

/** Headers of every response, unless it has its own: nothing is framed, embedded, guessed or passed on. */
export const secureHeaders: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** The client's own id of a request where it sent one, else a new one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const own = headers['x-request-id'];
  return typeof own === 'string' && /^[\w\-=]{1,255}$/.test(own) ? own : randomUUID();
}

/** Answers with a text of JSON, in one write. */
export function writeJson(
  response: ServerResponse,
  requestId: string,
  text: string,
  { status = 200, type = 'application/json', headers = {} }: WriteOptions = {},
): void {
  if (response.destroyed) return;
  response.writeHead(status, {
    ...secureHeaders,
    'content-type': type,
    'content-length': Buffer.byteLength(text),
    'x-request-id': requestId,
    ...headers,
  });
  response.end(text);
}

/** The bytes of the last answer of a connection, with the problem that an error is, to a request that was not read to its end. */
export function problemBytes(requestId: string, error: unknown): string {
  const problem = problemOf(error, requestId);
  return bytesOf(problem, { ...problemHeaders(error, problem), connection: 'close' });
}

/** The bytes of the last answer of a connection, to a request that node:http gave up. */
export function lastBytes(requestId: string, givenUp: GivenUpRequest): string {
  return bytesOf({ ...givenUp, requestId }, { connection: 'close' });
}

function bytesOf(
  problem: Pick<Problem, 'title' | 'requestId'> & { readonly status: number },
  others: Readonly<Record<string, string>>,
): string {
  const text = JSON.stringify(problem);
  const headers = Object.entries({
    ...secureHeaders,
    'content-type': 'application/problem+json',
    'content-length': `${Buffer.byteLength(text)}`,
    'x-request-id': problem.requestId,
    ...others,
    date: new Date().toUTCString(),
  });
  const head = [`HTTP/1.1 ${problem.status} ${problem.title}`, ...headers.map((each) => each.join(': '))];
  return `${head.join('\r\n')}\r\n\r\n${Buffer.from(text).toString('latin1')}`;
}

interface WriteOptions {
  readonly status?: number;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Answers with the problem that an error is, and gives that. */
export function writeProblem(
  response: ServerResponse,
  requestId: string,
  error: unknown,
  others: Readonly<Record<string, string>> = {},
): Problem {
  const problem = problemOf(error, requestId);
  writeJson(response, requestId, JSON.stringify(problem), {
    status: problem.status,
    type: 'application/problem+json',
    headers: { ...problemHeaders(error, problem), ...others },
  });
  return problem;
}
