import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type ApiEnv, type ApiMiddleware, methodError } from '@fuzzqe/api';
import { FuzzError } from '@fuzzqe/core';
import type { IndexState } from '@fuzzqe/engine';
import type { Context } from 'hono';
import { matchedRoutes } from 'hono/route';
import type { CallerCheck } from '../access/caller-check.ts';
import { applicationHealth, healthPaths, unlimitedPaths } from '../access/health-paths.ts';
import type { Connections } from '../overload/connections.ts';
import { createRequestSlots } from '../overload/request-slots.ts';
import { createResponseRate } from '../overload/response-rate.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics, RefusalReason } from '../telemetry/metrics.ts';
import { createRequestReporter, overloadReasons } from '../telemetry/request-reporter.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { awaitContinue } from './await-continue.ts';
import { givenUpRequest } from './given-up-request.ts';
import { lastBytes, problemBytes, requestIdOf, secureHeaders, writeProblem } from './plain-response.ts';
import type { QueryHandler } from './query-handler.ts';
import { beginRecord, type RequestRecord, recordOf } from './request-record.ts';
import { checkTarget, namesOneHost, pathOf, useOriginForm, useShortHost } from './request-target.ts';

/** What every request passes before the application, and what is noted of it after. */
export interface RequestAdmission {
  readonly listener: RequestListener;
  /** Answers a request that node:http gives up, and ends its connection: instead of its own answers, of which nothing is noted. */
  giveUp(error: Error, socket: Socket): void;
  /** The first of the application's middleware: tells the record of a request what only the application knows. */
  readonly middleware: ApiMiddleware;
  readonly inFlight: number;
  /** Notes whose key a request came with. */
  noteClient(request: IncomingMessage, client: string): void;
  noteRefusal(request: IncomingMessage, reason: RefusalReason): void;
}

/** What the admission stands before. */
export interface RequestAdmissionOptions {
  readonly application: RequestListener;
  /** What queries come through instead. */
  readonly queries: QueryHandler;
  /** Refuses by headers alone, before anything is read; health is answered to everybody. */
  readonly checkCaller: CallerCheck;
  /** Throws where a request may not ask: what stands for no address is held to keys and rates by it. */
  readonly admit: (request: IncomingMessage) => unknown;
  readonly connections: Connections;
  readonly maxInFlight: number;
  readonly isReady: () => boolean;
  /**
   * The states of the indexes that models ask, by the names of the models for anyone who may know these: without an index, what needs none
   * is still answered.
   */
  readonly indexes?: (
    request: IncomingMessage,
  ) => Readonly<Record<string, IndexState>> | readonly IndexState[];
  /** How the models are that are opened when they are asked for; undefined where all are opened at the start. */
  readonly models?: (request: IncomingMessage) => object | undefined;
  /** How the facts follow another server; undefined where they follow none. */
  readonly follows?: (() => { readonly state: string; readonly epoch: number } | undefined) | undefined;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tracing: Tracing | undefined;
}

/** Answers health by itself, refuses what is too much, and notes the rest. */
export function createRequestAdmission(options: RequestAdmissionOptions): RequestAdmission {
  const { application, queries, checkCaller, admit, connections, maxInFlight, isReady } = options;
  const { log, metrics, tracing, indexes = () => ({}), models, follows } = options;
  const rate = createResponseRate();
  const tell = createRequestReporter({ log, metrics });
  const slots = createRequestSlots(maxInFlight);

  const note = (request: IncomingMessage, response: ServerResponse, record: RequestRecord): void => {
    const { requestId, route, client, subject, error, span } = record;
    const refused = record.refused ?? (isOverload(error) ? 'waiting' : undefined);
    if (refused !== undefined && overloadReasons.has(refused))
      connections.rest(request.socket, refused === 'late');
    // What a socket that was closed had still to send counts as sent for node:http.
    const isSent = response.writableFinished && !request.socket.destroyed;
    const status = record.status ?? (isSent ? response.statusCode : clientGone);
    span?.end({ route, status, error });
    tell({
      requestId,
      method: request.method ?? '',
      path: pathOf(request),
      route,
      status,
      seconds: (performance.now() - record.began) / 1000,
      client,
      address: request.socket.remoteAddress,
      traceId: span?.traceId,
      refused,
      subject,
      error,
    });
  };

  const noRoom = (): FuzzError => tooMany(rate.secondsUntil(slots.taken));

  /** Ends a request that has not come whole, with the answer that the one would have had to which it gives way. */
  const giveWay = (
    { socket }: IncomingMessage,
    { headersSent }: ServerResponse,
    record: RequestRecord,
  ): void => {
    record.refused = 'in-flight';
    record.status = 429;
    if (!headersSent && socket.writable) socket.write(problemBytes(record.requestId, noRoom()), 'latin1');
    socket.destroy();
  };

  return {
    giveUp(error, socket) {
      const { request, response, began } = connections.underWay(socket);
      const record = request && recordOf(request);
      const givenUp = givenUpRequest(error);
      if (givenUp !== undefined && socket.writable) {
        const { requestId } = record ?? { requestId: randomUUID() };
        // Whatever follows on an answer would be read as the answer to another request.
        const isFirst = response?.headersSent !== true;
        if (isFirst) socket.write(lastBytes(requestId, givenUp), 'latin1');
        const { status } = givenUp;
        // Of an answer that is cut off, it says why.
        if (record !== undefined) record.status = status;
        else if (isFirst)
          tell({
            requestId,
            method: '',
            path: '',
            route: undefined,
            status,
            seconds: (performance.now() - began) / 1000,
            address: socket.remoteAddress,
            refused: undefined,
          });
      }
      socket.destroy(error);
    },
    get inFlight() {
      return slots.taken;
    },
    noteClient(request, client) {
      const record = recordOf(request);
      if (record !== undefined) record.client = client;
    },
    noteRefusal(request, reason) {
      const record = recordOf(request);
      if (record !== undefined) {
        record.refused = reason;
        return;
      }
      // Health, which every caller may ask for, has no line of its own.
      metrics.refused(reason);
      log[reason === 'key' ? 'info' : 'debug'](
        {
          requestId: requestIdOf(request),
          method: request.method,
          path: pathOf(request),
          address: request.socket.remoteAddress,
          refused: reason,
        },
        'health by a client without a key of this server',
      );
    },
    middleware: async (context, next) => {
      const { incoming } = context.env as { readonly incoming?: IncomingMessage }; // of @hono/node-server
      const record = incoming === undefined ? undefined : recordOf(incoming);
      await next();
      if (incoming === undefined || record === undefined) return;
      // An answer may begin before the body comes, as that of a batch does.
      if (context.res.status < 400) record.askForBody?.();
      // Nobody reads the rest of what is refused, so that no request can follow it on its connection.
      if (context.res.status >= 400 && !incoming.complete) context.res.headers.set('connection', 'close');
      record.requestId = context.get('requestId');
      record.subject = context.get('subject');
      record.error = context.error;
      record.route = routeOf(context);
    },
    listener(request, response) {
      const accepted = connections.begin(request, response);
      useOriginForm(request);
      const path = pathOf(request);
      const { method = '', headers } = request;
      const askForBody = headers.expect === undefined ? undefined : awaitContinue(request, response);
      const isOwn = healthPaths.includes(path);
      const isRead = method === 'GET' || method === 'HEAD';
      if (isOwn && isRead && namesOneHost(request))
        return path === '/livez'
          ? answerHealth(response, true)
          : answerHealth(response, isReady(), indexes(request), follows?.(), models?.(request));
      const span = tracing?.start({
        method,
        path,
        traceparent: headers['traceparent']?.toString(),
        tracestate: headers['tracestate']?.toString(),
      });
      const record = beginRecord(request, span);
      record.askForBody = askForBody;
      const isHealth = applicationHealth.has(path);
      const foreign = isHealth ? undefined : checkCaller(headers);
      const malformed = checkTarget(request);
      if (malformed !== undefined) {
        response.shouldKeepAlive = false;
        response.on('close', () => note(request, response, record));
        writeProblem(response, record.requestId, refusalBy(() => admit(request)) ?? malformed);
        return;
      }
      if (isOwn) {
        record.route = path;
        // Nobody reads its body, so that no request can follow it on its connection.
        response.shouldKeepAlive = false;
        response.on('close', () => note(request, response, record));
        writeProblem(
          response,
          record.requestId,
          methodError({ path, method }, 'GET, HEAD', `Use GET ${path}.`),
        );
        return;
      }
      useShortHost(request);
      // Connections beyond the limit are taken for the sake of health.
      if (!accepted && !isHealth) record.refused = 'connections';
      else if (foreign !== undefined) record.refused = 'caller';
      else if (!slots.hasRoom && !unlimitedPaths.has(path)) record.refused = 'in-flight';
      else if (connections.isLate(request) && !unlimitedPaths.has(path)) record.refused = 'late';
      if (record.refused !== undefined) {
        response.on('close', () => note(request, response, record));
        writeProblem(response, record.requestId, foreign ?? noRoom());
        return;
      }
      const place = slots.take(() => giveWay(request, response, record));
      connections.onWhole(request, place.whole);
      response.on('close', () => {
        place.leave();
        rate.answered();
        note(request, response, record);
      });
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

const isOverload = (error: unknown): boolean => error instanceof FuzzError && error.code === 'overloaded';

/** The route that answered, or would have where middleware did; undefined where there is none. */
function routeOf(context: Context<ApiEnv>): string | undefined {
  // Routes that match less closely follow it.
  const reached = matchedRoutes(context).slice(context.req.routeIndex);
  return reached.find(({ path }) => !path.endsWith('*'))?.path;
}

/** What a check throws, where it does. */
function refusalBy(check: () => unknown): unknown {
  try {
    check();
    return undefined;
  } catch (error) {
    return error;
  }
}

const healthHeaders = {
  ...secureHeaders,
  'content-type': 'application/json',
  'cache-control': 'no-store',
};

function answerHealth(
  response: ServerResponse,
  healthy: boolean,
  indexes: Readonly<Record<string, IndexState>> | readonly IndexState[] = [],
  facts?: object,
  models?: object,
): void {
  const others = {
    ...(Object.keys(indexes).length === 0 ? {} : { indexes }),
    ...(facts && { facts }),
    ...(models && { models }),
  };
  const text = JSON.stringify({ ok: healthy, ...others });
  response.writeHead(healthy ? 200 : 503, { ...healthHeaders, 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

let last: FuzzError | undefined;

/** The same error while its time is the same: to trace where it comes from would take a tenth of a refusal. */
function tooMany(seconds: number): FuzzError {
  const retryAfter = Math.ceil(seconds);
  if (last?.retryAfter === retryAfter) return last;
  last = new FuzzError('overloaded', 'too many concurrent requests (maxInFlight)', {
    hint: 'Send the request again, later.',
    retryAfter,
  });
  return last;
}
