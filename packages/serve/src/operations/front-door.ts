import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { FuzzError } from '@fuzzqe/core';
import type { ApiMiddleware, RequestSubject } from '@fuzzqe/engine/api';
import { routePath } from 'hono/route';
import type { CallerCheck } from './caller-check.ts';
import { type Connections, longestUnread } from './connections.ts';
import type { Log } from './log.ts';
import type { Metrics, RefusalReason } from './metrics.ts';
import { createPace } from './pace.ts';
import { problemBytes, requestIdOf, secureHeaders, writeProblem } from './plain-response.ts';
import { type QueryDoor, queryRouteOf } from './query-door.ts';
import type { RequestSpan, Tracing } from './tracing.ts';
import type { WholeRequest } from './whole-request.ts';

/** What a request turned out to be, for its line of the log, its metrics and its span. */
interface RequestRecord {
  readonly began: number;
  readonly span: RequestSpan | undefined;
  requestId: string;
  route: string | undefined;
  /** Whose key it came with. */
  client: string | undefined;
  subject: RequestSubject | undefined;
  error: unknown;
  refused: RefusalReason | undefined;
}

/** What every request passes before the application, and what is noted of it after. */
export interface FrontDoor {
  readonly listener: RequestListener;
  /**
   * The bytes that refuse a request in an overload before it is parsed, which has waited for so many milliseconds; undefined where there
   * is room.
   */
  refuse(request: WholeRequest, socket: Socket, waited: number): string | undefined;
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
  /** What queries come through instead. */
  readonly queries: QueryDoor;
  /** Refuses by headers alone, before anything is read; health is answered to everybody. */
  readonly checkCaller: CallerCheck;
  readonly connections: Connections;
  readonly maxInFlight: number;
  /** Why a query to a model, by default the first, may not wait for it; undefined where it may, or where nobody can say yet. */
  readonly refusalOf?: (model: string | undefined, socket: Socket) => FuzzError | undefined;
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

/** Paths of requests that wait for no others. */
export const urgentPaths: readonly string[] = [...healthPaths, applicationHealth];

/** Answers health by itself, refuses what is too much, and notes the rest. */
export function createFrontDoor(options: FrontDoorOptions): FrontDoor {
  const { application, queries, checkCaller, connections, maxInFlight, isReady } = options;
  const { log, metrics, tracing, refusalOf } = options;
  const records = new WeakMap<IncomingMessage, RequestRecord>();
  const pace = createPace();
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
    const level = isFault ? 'error' : refused === 'in-flight' || refused === 'late' ? 'debug' : 'info';
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

  const tooMuch = (
    path: string,
    socket: Socket,
    waited: number,
  ): { reason: RefusalReason; error?: FuzzError } | undefined => {
    if (inFlight >= maxInFlight) return { reason: 'in-flight' };
    if (waited > longestUnread) return { reason: 'late' };
    const query = queryRouteOf(path);
    const error = query && refusalOf?.(query.model, socket);
    return error && { reason: 'waiting', error };
  };

  return {
    refuse({ method, path, requestId = randomUUID() }, socket, waited) {
      if (healthPaths.includes(path) || unlimitedPaths.includes(path)) return undefined;
      const refusal = tooMuch(path, socket, waited);
      if (refusal === undefined) return undefined;
      const { reason, error = tooMany(pace.secondsUntil(inFlight)) } = refusal;
      const { route = 'other' } = queryRouteOf(path) ?? {};
      const status = 429;
      metrics.request({ method, route, status, seconds: 0 });
      metrics.refused(reason);
      log.debug(
        {
          requestId,
          method,
          path: path.slice(0, 200),
          route,
          status,
          address: socket.remoteAddress,
          refused: reason,
        },
        'request',
      );
      return problemBytes(requestId, error);
    },
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
      if (incoming === undefined || record === undefined) return;
      // Nobody reads the rest of what is refused, so that no request can follow it on its connection.
      if (context.res.status >= 400 && !incoming.complete) context.res.headers.set('connection', 'close');
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
      const { method = '', headers } = request;
      const span = tracing?.start({ method, path, traceparent: headers['traceparent']?.toString() });
      const record: RequestRecord = {
        began: performance.now(),
        span,
        requestId: requestIdOf(request),
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
      else if (connections.isLate(request) && !unlimitedPaths.includes(path)) record.refused = 'late';
      const isTaken = record.refused === undefined;
      if (isTaken) inFlight += 1;
      response.on('close', () => {
        if (isTaken) {
          inFlight -= 1;
          pace.answered();
        }
        note(request, response, record);
      });
      if (!isTaken) {
        writeProblem(response, record.requestId, foreign ?? tooMany(pace.secondsUntil(inFlight)));
        return;
      }
      if (queries.takes(request, path)) {
        void queries.answer(request, response, record);
        return;
      }
      for (const [name, value] of Object.entries(secureHeaders)) response.setHeader(name, value);
      application(request, response);
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

let last: FuzzError | undefined;

/** The same error while its time is the same: to trace where it comes from would take a tenth of a refusal. */
function tooMany(seconds: number): FuzzError {
  const retryAfter = Math.ceil(seconds);
  if (last?.retryAfter === retryAfter) return last;
  last = new FuzzError('overloaded', 'the server has as many requests under way as it takes', {
    hint: 'Send the request again, later.',
    retryAfter,
  });
  return last;
}
