import { Hono } from 'hono';
import { cors } from 'hono/cors';
import { requestId } from 'hono/request-id';
import type { Engine } from '../engine.ts';
import { landingOf, landingPage } from './landing.ts';
import { listEntities, listRelations } from './names-route.ts';
import { problemResponse } from './problem.ts';
import { answerRequest } from './query-route.ts';
import { readJson } from './read-json.ts';
import { RequestError } from './request-error.ts';

/** How the API behaves. */
export interface ApiOptions {
  /** The largest body, in bytes. Default 256 KiB. */
  readonly bodyLimit?: number;
  /** The most answers a query may ask for. Default 1000. */
  readonly maxK?: number;
  /** The origins whose pages may call the API, or `*`. Default none. */
  readonly cors?: string | readonly string[];
  /** Hears of everything that is answered with a status of 500 or more. Default: nobody. */
  readonly onError?: (error: unknown, requestId: string) => void;
}

/** A web application as every runtime takes it. */
export interface App {
  fetch(request: Request): Response | Promise<Response>;
  /** Calls the application without a server: a path or an address, and what `Request` takes. */
  request(input: string | Request, init?: RequestInit): Response | Promise<Response>;
}

type Variables = { Variables: { requestId: string } };

/**
 * The HTTP API of an engine, for any runtime.
 *
 * `POST /v1/query`, `GET /v1/entities`, `GET /v1/relations`, `GET /healthz`, `GET /`. Errors are
 * application/problem+json; every response has an X-Request-Id, the client's own where it sent one.
 * @example
 * export default createApp(engine);
 */
export function createApp(engine: Engine, options: ApiOptions = {}): App {
  const { bodyLimit = 256 * 1024, maxK = 1000, onError } = options;
  const app = new Hono<Variables>();

  app.use(requestId());
  if (options.cors !== undefined) {
    app.use(
      cors({
        origin: typeof options.cors === 'string' ? options.cors : [...options.cors],
        allowMethods: ['GET', 'POST'],
        allowHeaders: ['content-type', 'x-request-id'],
        exposeHeaders: ['x-request-id'],
        maxAge: 86_400,
      }),
    );
  }
  app.use(async (context, next) => {
    await next();
    context.header('x-content-type-options', 'nosniff');
  });

  app.get('/', (context) => {
    context.header('vary', 'accept');
    const wantsPage = context.req.header('accept')?.includes('text/html') ?? false;
    return wantsPage ? context.html(landingPage(engine)) : context.json(landingOf(engine));
  });
  app.get('/healthz', (context) => {
    const { ready, runtime, profile, manifest } = engine;
    context.header('cache-control', 'no-store');
    return context.json({ name: manifest.name, runtime, profile, ready }, ready ? 200 : 503);
  });
  app.post('/v1/query', async (context) =>
    context.json(await answerRequest(engine, await readJson(context.req.raw, bodyLimit), maxK)),
  );
  app.get('/v1/entities', (context) =>
    context.json(listEntities(engine.vocabulary, new URL(context.req.url).searchParams)),
  );
  app.get('/v1/relations', (context) =>
    context.json(listRelations(engine.vocabulary, new URL(context.req.url).searchParams)),
  );

  // What comes this far has a path of ours with another method, or no path of ours.
  const allowed = {
    '/': 'GET',
    '/healthz': 'GET',
    '/v1/query': 'POST',
    '/v1/entities': 'GET',
    '/v1/relations': 'GET',
  };
  for (const [path, method] of Object.entries(allowed)) {
    const allow = method === 'GET' ? 'GET, HEAD' : method;
    app.all(path, ({ req }) => {
      throw new RequestError(
        'method',
        `${path}: expected ${allow}, got ${req.method}`,
        `Use ${method} ${path}.`,
        {
          allow,
        },
      );
    });
  }
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
    if (response.status >= 500) onError?.(error, id);
    return response;
  });
  return app;
}
