import type { Engine } from '@fuzzqe/engine';
import type { Hono } from 'hono';
import { cors } from 'hono/cors';
import { requestId } from 'hono/request-id';
import { writeJson } from './body/write-json.ts';
import { checkApiOptions, checkModels } from './check-api-options.ts';
import { methodError } from './errors/method-error.ts';
import { problemResponse } from './errors/problem.ts';
import { RequestError } from './errors/request-error.ts';
import { negotiateType } from './headers/negotiate-type.ts';
import { landingOf, landingPage } from './landing.ts';
import { createModelRegistry, type ModelRegistry } from './models/model-registry.ts';
import type {
  AnswerWriter,
  ApiContext,
  ApiEnv,
  ApiMiddleware,
  ApiPart,
  ApiRoute,
  FaultListener,
} from './part/api-part.ts';
import { createRoutes } from './part/create-routes.ts';
import type { FactsAccess } from './part/facts-access.ts';
import { answerQuery, type QueryExchange } from './v1/answer-query.ts';
import { v1Routes } from './v1/v1-routes.ts';

/** How the API behaves. */
export interface ApiOptions {
  /** The largest body, in bytes. Default 256 KiB. */
  readonly bodyLimit?: number;
  /** The largest body of a batch, in bytes. Default 4 MiB. */
  readonly batchLimit?: number;
  /** The most queries of a batch. Default 10 000. */
  readonly batchLines?: number;
  /** The most milliseconds of one core that all queries of a batch may take together; those beyond it are refused. Default 120 000. */
  readonly batchCostLimit?: number;
  /** How many queries of a batch are answered at once. Default 32. */
  readonly batchAtOnce?: number;
  /** The most answers a query may ask for. Default 1000. */
  readonly maxK?: number;
  /** The most milliseconds of one core that a query may take, as `engine.costOf` estimates; others are refused. Default 250. */
  readonly costLimit?: number;
  /** The longest that a query may take, in milliseconds; clients may allow less. Default 30 000. */
  readonly timeout?: number;
  /** The origins whose pages may call the API, or `*`. Default none. */
  readonly cors?: string | readonly string[];
  /** How entry points such as SPARQL Update change facts. Default: facts stay as they are. */
  readonly facts?: FactsAccess;
  /** Hears of everything that is answered with a status of 500 or more. Default: nobody. */
  readonly onError?: FaultListener;
  /** Writes answers to queries. Default: as every other value; `writeAnswer` is faster, and longer in a script for Workers. */
  readonly writeAnswer?: AnswerWriter;
  /** The style sheet of the page at `/`: `pageStyle` of `@fuzzqe/core/text`, say. Default: a small one in the same colours. */
  readonly pageStyle?: string;
  /** Its icon, an element of HTML: `pageIcon` of `@fuzzqe/core/text`, say. Default: none. */
  readonly pageIcon?: string;
  /** What stands before every route, outermost first: keys, logs, metrics. Default none. */
  readonly middleware?: readonly ApiMiddleware[];
  /** What else is answered: protocols, documents, pages. Default none, and none is loaded. */
  readonly mount?: readonly ApiPart[];
}

/** A web application as every runtime takes it. */
export interface App {
  /** `environment` is what the server knows of the request in addition to the request itself; middleware finds it as `context.env`. */
  fetch(request: Request, environment?: object): Response | Promise<Response>;
  /** Calls the application without a server: a path or an address, and what `Request` takes. */
  request(input: string | Request, init?: RequestInit): Response | Promise<Response>;
  /**
   * Answers `POST /v1/query` with the text of its JSON, a third of the work of `fetch`: for servers that have done themselves what
   * middleware does for the other requests.
   *
   * @throws RequestError and FuzzError, which `problemOf` turns into what the client is told.
   */
  answerQuery(exchange: QueryExchange): Promise<string>;
}

/**
 * The HTTP API of one engine or of several models, for any runtime.
 *
 * `/v1`, `GET /healthz`, `GET /`, and what is mounted. Errors are application/problem+json; every response has an X-Request-Id,
 * the client's own where it sent one.
 *
 * @throws FuzzError `usage`: a limit that is none, another option, or what is no engine.
 * @example
 * export default createApp(engine);
 */
export function createApp(models: Engine | ModelRegistry, options: ApiOptions = {}): App {
  checkModels(models);
  checkApiOptions(options);
  const { bodyLimit = 256 * 1024, maxK = 1000, timeout = 30_000, middleware = [], mount = [] } = options;
  const {
    batchLimit = 4 * 1024 * 1024,
    batchLines = 10_000,
    batchAtOnce = 32,
    batchCostLimit = 120_000,
  } = options;
  const {
    costLimit = 250,
    onError = () => undefined,
    writeAnswer = (answer, _, limits) => writeJson(answer, limits),
  } = options;
  const app = createRoutes<ApiEnv>();
  const context: ApiContext = {
    models: 'acquire' in models ? models : registryOf(models),
    bodyLimit,
    batch: { body: batchLimit, lines: batchLines, atOnce: batchAtOnce, cost: batchCostLimit },
    maxK,
    costLimit,
    timeout,
    writeAnswer,
    facts: options.facts,
    onError,
    parts: mount,
    routes: () => app.routes.flatMap(({ method, path }) => (method === 'ALL' ? [] : [{ method, path }])),
  };

  app.use(requestId());
  if (options.cors !== undefined) {
    const origins = [options.cors].flat();
    app.use(
      cors({
        // The library knows it alone.
        origin: origins.includes('*') ? '*' : origins,
        allowMethods: ['GET', 'POST'],
        // Whichever headers a page asks to send are allowed: protocols have their own, and none lets in who has no key.
        exposeHeaders: ['*'],
        maxAge: 86_400,
      }),
    );
  }
  app.use(async (context, next) => {
    context.header('x-content-type-options', 'nosniff');
    await next();
    // A part may answer with a response that it got elsewhere, which has neither; to set headers later makes a response anew.
    const { headers } = context.res;
    if (!headers.has('x-content-type-options')) context.header('x-content-type-options', 'nosniff');
    if (!headers.has('x-request-id')) context.header('x-request-id', context.get('requestId'));
  });
  for (const each of middleware) app.use(each);

  app.route('/', rootRoutes(context, options));
  app.route('/v1', v1Routes(context));
  for (const part of mount) app.route(part.path, part.routes(context));

  refuseOtherMethods(app, context.routes());
  app.notFound((context) => {
    const error = new RequestError(
      'not-found',
      `no such path: ${context.req.path}`,
      'GET / lists what there is.',
    );
    return problemResponse(context, error, context.get('requestId'));
  });
  app.onError((error, context) => {
    const id = context.get('requestId');
    const response = problemResponse(context, error, id);
    // A passed deadline is nobody's fault.
    if (response.status >= 500 && response.status !== 504) onError(error, id, 'answer');
    return response;
  });
  return {
    fetch: (request, environment) => app.fetch(request, environment),
    request: (input, init) => app.request(input, init),
    answerQuery: (exchange) => answerQuery(context, exchange),
  };
}

/** The root as programs read it, and as a page. */
const landingTypes = [{ mediaType: 'application/json' }, { mediaType: 'text/html' }] as const;

function rootRoutes(
  { models, parts }: ApiContext,
  { pageStyle, pageIcon }: Pick<ApiOptions, 'pageStyle' | 'pageIcon'>,
): Hono<ApiEnv> {
  const routes = createRoutes<ApiEnv>();
  routes.get('/', async (context) => {
    context.header('vary', 'accept');
    const wantsPage = negotiateType(context.req.header('accept'), landingTypes) === landingTypes[1];
    const home = parts.find((part) => part.home !== undefined)?.home;
    if (wantsPage && home !== undefined) return context.redirect(home, 302);
    const landing = await landingOf(models, parts);
    return wantsPage ? context.html(landingPage(landing, pageStyle, pageIcon)) : context.json(landing);
  });
  routes.get('/healthz', (context) => {
    const { ready, names } = models;
    // The default model may be closed while others answer.
    const { name, engine } = models.list().find((each) => each.name === names[0]) ?? {};
    context.header('cache-control', 'no-store');
    const status = ready ? 200 : 503;
    return context.json({ name, runtime: engine?.runtime, profile: engine?.profile, ready }, status);
  });
  return routes;
}

/** What comes as far as this has a path of ours with another method, or no path of ours. */
function refuseOtherMethods(app: Hono<ApiEnv>, routes: readonly ApiRoute[]): void {
  const methods = new Map<string, Set<string>>();
  for (const { method, path } of routes) {
    const known = methods.get(path) ?? new Set();
    methods.set(path, known.add(method));
  }
  for (const [path, known] of methods) {
    const allow = [...known].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
    app.all(path, ({ req }) => {
      const hint = `Use ${[...known].join(' or ')} ${req.path}.`;
      throw methodError(req, allow, hint);
    });
  }
}

function registryOf(engine: Engine): ModelRegistry {
  const models = createModelRegistry([engine.manifest.name]);
  // An engine that is already closing answers 503, as before it was asked.
  models.put(engine.manifest.name, engine).catch(() => undefined);
  return models;
}
