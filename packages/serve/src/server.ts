import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import {
  type ApiOptions,
  createApp,
  createModelRegistry,
  type ModelRegistry,
  writeAnswer,
} from '@fuzzqe/api';
import { pageIcon, pageStyle } from '@fuzzqe/core/text';
import type { Engine } from '@fuzzqe/engine';
import { getRequestListener } from '@hono/node-server';
import { createAccessControl } from './access/access-control.ts';
import type { AccessKeys } from './access/access-keys.ts';
import { createCallerCheck, isLoopback } from './access/caller-check.ts';
import { urgentPaths } from './access/health-paths.ts';
import { createRateLimit, type RateLimitOptions } from './access/rate-limit.ts';
import { checkServerOptions } from './check-server-options.ts';
import { type DrainTimes, drain } from './door/drain.ts';
import { tunnelAsked } from './door/given-up-request.ts';
import { listen, urlOf } from './door/listen.ts';
import { createQueryHandler } from './door/query-handler.ts';
import { createRequestAdmission } from './door/request-admission.ts';
import { createEpochGate, type EpochSource } from './epochs/epoch-gate.ts';
import { isShelf, statesOf } from './models/model-states.ts';
import { connectionReserve, keepConnections } from './overload/connections.ts';
import { settingsTable } from './settings/settings-table.ts';
import { createLog, type Log } from './telemetry/log.ts';
import {
  createMetrics,
  type MetricSources,
  type Metrics,
  type ServedIndexInfo,
} from './telemetry/metrics.ts';
import { operationsPart } from './telemetry/operations-part.ts';
import type { Tracing } from './telemetry/tracing.ts';
import { watchModels } from './telemetry/watch-models.ts';

/** How long a server waits for clients, in milliseconds. */
export interface ServerTimeouts extends DrainTimes {
  /** For all headers of a request, or for the first on a new connection. */
  readonly headersTimeout: number;
  /** For a whole request with its body. */
  readonly requestTimeout: number;
  /** For the next request on a connection; longer than that of the balancer in front. */
  readonly keepAliveTimeout: number;
  /** For any byte to come or go, while a client reads its answer. */
  readonly idleTimeout: number;
}

/** How much a server takes at once. */
export interface ServerLimits {
  readonly maxConnections: number;
  /** Requests under way; the next is answered 429. */
  readonly maxInFlight: number;
}

/** What a server needs. */
export interface ServerOptions extends Partial<ServerTimeouts>, Partial<ServerLimits> {
  /** An engine, or models that may be put in after the server has begun; each request is answered 503 until then. */
  readonly models: Engine | ModelRegistry;
  /** 0 takes any free port. Default 8080. */
  readonly port?: number;
  /** Default 127.0.0.1: this machine only. */
  readonly host?: string;
  /**
   * Names under which it may be called, next to `localhost` and its addresses, or `*`: any. Pages in a browser are refused that let
   * their own name point at it, or call it from elsewhere and are not in `api.cors`. Default: none where it listens on this
   * machine only and has no keys; else any, from anywhere.
   */
  readonly allowHost?: readonly string[] | undefined;
  readonly api?: Omit<ApiOptions, 'middleware' | 'onError'>;
  /** Who may ask, as often as it is asked. Default: everybody. */
  readonly keys?: () => AccessKeys | undefined;
  /** For each key, or for each address where there are no keys. Default: no limit. */
  readonly rateLimit?: Pick<RateLimitOptions, 'perSecond' | 'burst'>;
  /** The facts of the models: answers say their epoch, and requests may ask for one. Default: facts stay as they are. */
  readonly facts?: EpochSource | undefined;
  /** What was judged in the last 28 days, for metrics. Default: no metric. */
  readonly judged?: MetricSources['judged'];
  /** Default: warnings and errors, to standard error. */
  readonly log?: Log;
  readonly tracing?: Tracing;
}

/** What holds where nothing else is said. */
export const serverDefaults: ServerTimeouts & ServerLimits = {
  headersTimeout: settingsTable.headersTimeout.fallback,
  requestTimeout: settingsTable.requestTimeout.fallback,
  keepAliveTimeout: settingsTable.keepAliveTimeout.fallback,
  idleTimeout: settingsTable.idleTimeout.fallback,
  shutdownDelay: settingsTable.shutdownDelay.fallback,
  closeNotice: settingsTable.closeNotice.fallback,
  drainTimeout: settingsTable.drainTimeout.fallback,
  maxConnections: settingsTable.maxConnections.fallback,
  maxInFlight: settingsTable.maxInFlight.fallback,
};

/** A server that listens. */
export interface RunningServer {
  readonly port: number;
  /** `http://127.0.0.1:8080` */
  readonly url: string;
  readonly models: ModelRegistry;
  readonly metrics: Metrics;
  /** Takes no more requests, lets those under way finish, and closes the models. */
  close(): Promise<void>;
}

/**
 * Serves models over HTTP, with `/livez`, `/readyz` and `/metrics`.
 *
 * The port is bound first. Of a registry, models may follow; of an engine, every graph is open when the promise resolves.
 * @throws FuzzError `runtime`: the port or the address cannot be used, or a graph cannot be opened. `config`: a name in `allowHost`.
 * `usage`: another option.
 * @example
 * const server = await startServer({ models: engine, port: 8080 });
 * await server.close();
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  checkServerOptions(options);
  if (options.log !== undefined) return start(options, options.log);
  const log = createLog({ level: 'warn' });
  try {
    const server = await start(options, log);
    return { ...server, close: () => server.close().finally(log.close) };
  } catch (cause) {
    // What it has open hears of the end of the process.
    log.close();
    throw cause;
  }
}

async function start(options: ServerOptions, log: Log): Promise<RunningServer> {
  const {
    port = 8080,
    host = '127.0.0.1',
    api = {},
    keys = () => undefined,
    tracing,
    facts,
    judged,
  } = options;
  const settings = { ...serverDefaults, ...definedOf(options) };
  const models =
    'acquire' in options.models ? options.models : createModelRegistry([options.models.manifest.name]);
  let draining = false;
  let isLocal = isLoopback(host);
  const checkCaller = createCallerCheck({
    allowHost: options.allowHost,
    cors: api.cors,
    isPrivate: () => isLocal && keys() === undefined,
  });

  const server = createServer({
    headersTimeout: settings.headersTimeout,
    requestTimeout: Math.max(settings.requestTimeout, settings.headersTimeout),
    keepAliveTimeout: settings.keepAliveTimeout,
    connectionsCheckingInterval: Math.min(1000, settings.headersTimeout),
    keepAlive: true,
    keepAliveInitialDelay: 60_000,
    // It is asked for by admission, which notes what it refuses.
    requireHostHeader: false,
  });
  server.timeout = settings.idleTimeout;
  server.maxConnections = settings.maxConnections + connectionReserve;
  // A client that has ended its side after its request still gets the answer.
  Object.assign(server, { httpAllowHalfOpen: true });

  const metrics = createMetrics({
    connections: () => connections.count,
    inFlight: () => admission.inFlight,
    models: () =>
      models.list().map(({ name, version, engine }) => ({
        model: name,
        version,
        profile: engine.profile,
        runtime: engine.runtime,
      })),
    indexes: () => indexesOf(models),
    shelf: isShelf(models) ? () => models : undefined,
    facts,
    judged,
  });
  const connections = keepConnections(server, {
    maxConnections: settings.maxConnections,
    onRefused: () => metrics.refused('connections'),
    urgentPaths,
  });
  server.on('drop', () => metrics.refused('connections'));
  const epochs = createEpochGate(facts, api.timeout ?? settingsTable.timeLimit.fallback);
  const admission = createRequestAdmission({
    application: (request, response) => application(request, response),
    queries: createQueryHandler({
      answerQuery: (exchange) => app.answerQuery(exchange),
      admit: (request) => access.admit(request),
      epochs,
      bodyLimit: api.bodyLimit ?? settingsTable.bodyLimit.fallback,
    }),
    checkCaller,
    admit: (request) => access.admit(request),
    connections,
    maxInFlight: settings.maxInFlight,
    isReady: () => !draining && models.ready,
    indexes(request) {
      const all = indexesOf(models);
      if (!access.isKnown(request)) return all.map(({ state }) => state);
      return Object.fromEntries(all.map(({ model, state }) => [model, state]));
    },
    models: (request) => (isShelf(models) ? statesOf(models, access.isKnown(request)) : undefined),
    follows() {
      const state = facts?.store.follows?.state;
      return facts && (state === undefined ? undefined : { state, epoch: facts.epoch });
    },
    log,
    metrics,
    tracing,
  });
  const access = createAccessControl({
    keys,
    isOpen: (path) => api.mount?.some((part) => part.isOpen?.(path) ?? false) ?? false,
    rateLimit: options.rateLimit === undefined ? undefined : createRateLimit(options.rateLimit),
    noteClient: admission.noteClient,
    noteRefusal: admission.noteRefusal,
  });
  const app = createApp(models, {
    pageStyle,
    pageIcon,
    writeAnswer,
    ...api,
    middleware: [admission.middleware, access.middleware, epochs.middleware],
    // The line of a request has the cause of its status; a part of an answer has a line of its own.
    onError: (error, requestId, of) => {
      if (of === 'part') log.error({ requestId, error }, 'part of an answer failed');
    },
    mount: [...(api.mount ?? []), operationsPart(metrics)],
  });
  const application = getRequestListener((request, environment) => app.fetch(request, environment), {
    overrideGlobalObjects: false,
    // Of HTTP/1.0, which need not name one.
    hostname: 'localhost',
  });
  server.on('request', admission.listener);
  // node:http would ask for a body before anybody has looked at the headers.
  server.on('checkContinue', admission.listener);
  // What a client expects but `100-continue` may be passed over (RFC 9110, 10.1.1), and is by node:http no request to note.
  server.on('checkExpectation', admission.listener);
  // Sockets of net, whose connections these are.
  server.on('clientError', (error, socket) => admission.giveUp(error, socket as Socket));
  server.on('connect', (_, socket) => {
    // node:http hears of its errors no more, such as the one that ends it.
    socket.on('error', () => undefined);
    admission.giveUp(tunnelAsked(), socket as Socket);
  });

  const address = await listen(server, port, host);
  isLocal = isLoopback(address.address);
  models.watch(watchModels(metrics, log));
  let closing: Promise<void> | undefined;
  const shutDown = async (): Promise<void> => {
    draining = true;
    await drain(server, connections, settings);
    await models.close();
    metrics.close();
  };
  const running: RunningServer = {
    port: address.port,
    url: urlOf(address),
    models,
    metrics,
    close() {
      closing ??= shutDown();
      return closing;
    },
  };
  if (!('acquire' in options.models)) {
    const engine = options.models;
    try {
      await engine.warmUp();
      await models.put(engine.manifest.name, engine);
    } catch (cause) {
      await running.close();
      throw cause;
    }
  }
  return running;
}

/** The indexes that models ask, as they are now. */
function indexesOf(models: ModelRegistry): readonly ServedIndexInfo[] {
  return models.list().flatMap(({ name: model, engine: { ranker } }) => {
    const { index } = ranker;
    return index === undefined ? [] : [{ model, index: index.name, state: index.state }];
  });
}

/** What was given, without what was given as undefined. */
function definedOf(options: ServerOptions): Partial<ServerTimeouts & ServerLimits> {
  const names = Object.keys(serverDefaults) as (keyof typeof serverDefaults)[]; // its own keys
  return Object.fromEntries(
    names.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]),
  );
}
