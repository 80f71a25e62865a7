import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { FuzzError } from '@fuzzqe/core';
import { type ApiMiddleware, problemOf, type RequestError } from '@fuzzqe/engine/api';
import { routePath } from 'hono/route';
import type { CallerCheck } from './caller-check.ts';
import type { Connections } from './connections.ts';
import type { Log } from './log.ts';
import type { Metrics, RefusalReason } from './metrics.ts';
import { createTurns } from './one-a-turn.ts';
import type { RequestSpan, Tracing } from './tracing.ts';

/** What a request turned out to be, for its line of the log, its metrics and its span. */
interface RequestRecord {
  readonly began: number;
  readonly span: RequestSpan | undefined;
  requestId: string | undefined;
  route: string | undefined;
  /** Whose key it came with. */
  client: string | undefined;
  subject: object | undefined;
  error: unknown;
  refused: RefusalReason | undefined;
}

/** What every request passes before the application, and what is noted of it after. */
export interface FrontDoor {
  readonly listener: RequestListener;
  /** The first of the application's middleware: tells the record of a request what only the application knows. */
  readonly middleware: ApiMiddleware;
  readonly inFlight: number;
  /** Notes whose key a request came with. */
  noteClient(request: IncomingMessage, client: string): void;
  noteRefusal(request: IncomingMessage, reason: RefusalReason): void;
}

/** What a front door stands before. */
export interface FrontDoorOptions {
  readonly application: RequestListener;
  /** Refuses by headers alone, before anything is read; health is answered to everybody. */
  readonly checkCaller: CallerCheck;
  readonly connections: Connections;
  readonly maxInFlight: number;
  readonly isReady: () => boolean;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tracing: Tracing | undefined;
}

/** Paths that are answered at once, whatever else is going on. */
export const healthPaths: readonly string[] = ['/livez', '/readyz'];

/** What says how the application is, which asks for no key either. */
const applicationHealth = '/healthz';

/** Paths that no limit on requests under way holds up. */
const unlimitedPaths: readonly string[] = ['/metrics', applicationHealth];

/** Headers of every response, unless it has its own: nothing is framed, embedded, guessed or passed on. */
const secureHeaders = [
  [
    'content-security-policy',
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  ],
  ['referrer-policy', 'no-referrer'],
  ['x-content-type-options', 'nosniff'],
] as const;

/** Answers health by itself, refuses what is too much, and notes the rest. */
export function createFrontDoor(options: FrontDoorOptions): FrontDoor {
  const { application, checkCaller, connections, maxInFlight, isReady, log, metrics, tracing } = options;
  const records = new WeakMap<IncomingMessage, RequestRecord>();
  const inTurn = createTurns();
  let inFlight = 0;

  const note = (request: IncomingMessage, response: ServerResponse, record: RequestRecord): void => {
    const { route = 'other', error, refused } = record;
    const method = request.method ?? '';
    const status = response.writableFinished ? response.statusCode : clientGone;
    const seconds = (performance.now() - record.began) / 1000;
    metrics.request({ method: knownMethods.has(method) ? method : 'other', route, status, seconds });
    if (refused !== undefined) metrics.refused(refused);
    record.span?.end({ route, status, error });
    const isFault = status >= 500;
    // Thousands of these a second are told by the metrics.
    const level = isFault ? 'error' : refused === 'in-flight' ? 'debug' : 'info';
    log[level](
      {
        requestId: record.requestId,
        method,
        path: pathOf(request).slice(0, 200),
        route,
        status,
        ms: Math.round(seconds * 1e5) / 100,
        client: record.client,
        address: request.socket.remoteAddress,
        traceId: record.span?.traceId,
        refused,
        ...record.subject,
        ...(isFault && error !== undefined ? { error } : {}),
      },
      'request',
    );
  };

  return {
    get inFlight() {
      return inFlight;
    },
    noteClient(request, client) {
      const record = records.get(request);
      if (record !== undefined) record.client = client;
    },
    noteRefusal(request, reason) {
      const record = records.get(request);
      if (record !== undefined) record.refused = reason;
    },
    middleware: async (context, next) => {
      const { incoming } = context.env as { readonly incoming?: IncomingMessage }; // of @hono/node-server
      const record = incoming === undefined ? undefined : records.get(incoming);
      await next();
      if (record === undefined) return;
      record.requestId = context.get('requestId');
      record.subject = context.get('subject');
      record.error = context.error;
      const route = routePath(context, -1);
      record.route = route.endsWith('*') ? undefined : route;
    },
    listener(request, response) {
      const accepted = connections.begin(request, response);
      const path = pathOf(request);
      if (healthPaths.includes(path)) return answerHealth(response, path === '/livez' || isReady());
      for (const [name, value] of secureHeaders) response.setHeader(name, value);
      const { method = '', headers } = request;
      const span = tracing?.start({ method, path, traceparent: headers['traceparent']?.toString() });
      const record: RequestRecord = {
        began: performance.now(),
        span,
        requestId: undefined,
        route: undefined,
        client: undefined,
        subject: undefined,
        error: undefined,
        refused: undefined,
      };
      records.set(request, record);
      const foreign = path === applicationHealth ? undefined : checkCaller(headers);
      if (!accepted) record.refused = 'connections';
      else if (foreign !== undefined) record.refused = 'caller';
      else if (inFlight >= maxInFlight && !unlimitedPaths.includes(path)) record.refused = 'in-flight';
      const isTaken = record.refused === undefined;
      if (isTaken) inFlight += 1;
      response.on('close', () => {
        if (isTaken) inFlight -= 1;
        note(request, response, record);
      });
      if (isTaken) {
        inTurn(() => {
          if (!response.destroyed) application(request, response);
        });
        return;
      }
      record.requestId = randomUUID();
      refuse(response, record.requestId, accepted ? foreign : undefined);
    },
  };
}

/** How a client is noted that went away before its answer: by the number that nginx gives it. */
const clientGone = 499;

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The path of a request without its query, which may hold what is nobody else's. */
function pathOf({ url = '/' }: IncomingMessage): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

function answerHealth(response: ServerResponse, healthy: boolean): void {
  response.writeHead(healthy ? 200 : 503, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
  });
  response.end(healthy ? '{"ok":true}' : '{"ok":false}');
}

function refuse(response: ServerResponse, requestId: string, foreign: RequestError | undefined): void {
  const overloaded = 'the server has as many requests under way as it takes';
  const error =
    foreign ?? new FuzzError('overloaded', overloaded, { hint: 'Send the request again, later.' });
  const problem = problemOf(error, requestId);
  response.writeHead(problem.status, {
    'content-type': 'application/problem+json',
    ...(foreign === undefined ? { 'retry-after': '1' } : {}),
    'x-request-id': requestId,
  });
  response.end(JSON.stringify(problem));
}
