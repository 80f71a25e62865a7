import { FuzzError, type FuzzErrorCode, isPassing } from '@fuzzqe/core';
import type { Context } from 'hono';
import { RequestError, type RequestErrorCode } from './request-error.ts';

/** RFC 9457, with where it happened and how to mend it. */
export interface Problem {
  readonly type: 'about:blank';
  readonly title: string;
  readonly status: ProblemStatus;
  readonly detail: string;
  readonly code: FuzzErrorCode | RequestErrorCode | 'internal';
  readonly path?: string | undefined;
  readonly hint?: string | undefined;
  readonly requestId: string;
}

/** The statuses that a problem may have. */
export type ProblemStatus =
  | 400
  | 401
  | 403
  | 404
  | 405
  | 409
  | 413
  | 415
  | 421
  | 422
  | 429
  | 499
  | 500
  | 503
  | 504;

/** The one table from what went wrong to its status; where that is the server's fault and passes by itself, it is 503 instead of 500. */
const statuses: Readonly<Record<Problem['code'], ProblemStatus>> = {
  usage: 400,
  query: 400,
  cost: 400,
  syntax: 400,
  encoding: 400,
  unauthorised: 401,
  forbidden: 403,
  'not-found': 404,
  method: 405,
  conflict: 409,
  misdirected: 421,
  'too-large': 413,
  'media-type': 415,
  vocabulary: 422,
  range: 422,
  'rate-limit': 429,
  overloaded: 429,
  deadline: 504,
  runtime: 500,
  interrupted: 499,
  data: 500,
  storage: 500,
  config: 500,
  shape: 500,
  checkpoint: 500,
  bundle: 500,
  parity: 500,
  internal: 500,
};

/** What each status is called. */
export const problemTitles: Readonly<Record<ProblemStatus, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  421: 'Misdirected Request',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  499: 'Client Closed Request',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

/** All codes that a problem may have. */
export const problemCodes: readonly string[] = Object.keys(statuses);

/**
 * Says what went wrong. What the server is at fault for is told without its words, which may name files and hosts: 500 for what lasts
 * until somebody mends it, 503 for what passes by itself.
 */
export function problemOf(error: unknown, requestId: string): Problem {
  const known = error instanceof FuzzError || error instanceof RequestError ? error : undefined;
  const code = known?.code ?? 'internal';
  const status = statuses[code] === 500 && isPassing(error) ? 503 : statuses[code];
  const base = { type: 'about:blank', title: problemTitles[status], status, code, requestId } as const;
  if (known === undefined || status === 500 || status === 503) {
    const detail =
      status === 503 ? 'The server cannot answer at the moment.' : 'The server failed to answer.';
    const told = known instanceof FuzzError ? known.toCallers : undefined;
    return {
      ...base,
      detail: told ?? detail,
      hint: `The server's log says more about request ${requestId}.`,
    };
  }
  const { message, path, hint } = known;
  // Where a name is not known, also where names are.
  const where = code === 'vocabulary' && 'GET /v1/entities?q= and GET /v1/relations?q= search names.';
  return { ...base, detail: message, path, hint: [hint, where].filter(Boolean).join(' ') || undefined };
}

/** A problem as a response, with the headers that the context has gathered: a bare `Response` would lose them. */
export function problemResponse(context: Context, error: unknown, requestId: string): Response {
  const problem = problemOf(error, requestId);
  // 499 is not among the statuses that Hono names; nobody receives it.
  const status = problem.status as Exclude<ProblemStatus, 499>;
  return context.body(JSON.stringify(problem), status, {
    'content-type': 'application/problem+json',
    ...problemHeaders(error, problem),
  });
}

/** The headers of a problem in addition to its type: when to come back, and what the error itself has. */
export function problemHeaders(
  error: unknown,
  { status }: Pick<Problem, 'status'>,
): Readonly<Record<string, string>> {
  const seconds = (error instanceof FuzzError ? error.retryAfter : undefined) ?? 1;
  return {
    ...(status === 503 || status === 429 ? { 'retry-after': `${Math.max(1, Math.ceil(seconds))}` } : {}),
    ...(error instanceof RequestError ? error.headers : {}),
  };
}
