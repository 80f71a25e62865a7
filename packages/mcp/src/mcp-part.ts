import {
  type ApiContext,
  type ApiEnv,
  type ApiPart,
  answered,
  type Declaration,
  limitsOf,
  type OpenApiObject,
  timeoutForm,
  timeoutHeader,
  titled,
} from '@fuzzqe/api';
import { checkBatchCost, checkOptions, inTurns, type OptionForm, oneOf, texts } from '@fuzzqe/engine';
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  originValidationResponse,
} from '@modelcontextprotocol/server';
import { type Context, Hono } from 'hono';
import { createMcpServer, type McpOptions } from './mcp-server.ts';
import { type ReadMessage, readMessage } from './read-message.ts';
import { rehearse } from './rehearse.ts';

/** Who may call a server over HTTP, and who hears of failures. */
export interface McpPartOptions {
  /**
   * The names under which the server may be called, without ports, or `*`: any. A page in a browser whose name somebody lets
   * point at this machine is refused by it. `checked`: whatever serves the application has refused such pages before, as
   * `startServer` of `@fuzzqe/serve` does. Default: `localhost` and its addresses.
   */
  readonly hosts?: readonly string[] | '*' | 'checked';
  /**
   * Origins of pages elsewhere that may call the server, as `cors` of the API has them, or `*`. Default: none. Pages of `localhost` and of
   * the names above always may; of any name, pages of the name that the server is called by.
   */
  readonly origins?: readonly string[] | undefined;
}

const [anyHosts, isAnyHosts] = oneOf('*', 'checked');
const forms: Readonly<Record<keyof McpPartOptions, OptionForm>> = {
  hosts: [`${texts[0]}, or ${anyHosts}`, (value) => texts[1](value) || isAnyHosts(value)],
  origins: texts,
};

/**
 * `POST /mcp`, and `POST /mcp/NAME` where there are more models than one, for `createApp`: the Model Context Protocol by its
 * transport "streamable HTTP", without sessions, so that any process behind a load balancer may answer any request.
 *
 * @throws FuzzError `usage`: an option.
 * @example
 * const app = createApp(engine, { mount: [mcpPart({ hosts: ['graph.example'] })] });
 */
export function mcpPart(options: McpPartOptions = {}): ApiPart {
  checkOptions(options, forms);
  return {
    path: '/mcp',
    endpoints: { 'POST /mcp': 'the Model Context Protocol, for assistants' },
    declare: () => ({ routes: { 'POST /mcp': declared, 'POST /mcp/:model': declared } }),
    routes(context) {
      const handle = handlerOf(context, options);
      // What is wrong with it, the first call would say.
      rehearse().catch(() => undefined);
      const routes = new Hono<ApiEnv>();
      routes.post('/', (context) => handle(context, undefined));
      routes.post('/:model', (context) => handle(context, context.req.param('model')));
      return routes;
    },
  };
}

/** A request, a notification or an answer of JSON-RPC 2.0, whose content the protocol's own specification describes. */
const message: OpenApiObject = {
  type: 'object',
  properties: {
    jsonrpc: { const: '2.0' },
    id: {
      type: ['string', 'integer'],
      minimum: Number.MIN_SAFE_INTEGER,
      maximum: Number.MAX_SAFE_INTEGER,
    },
    method: { type: 'string' },
    params: { type: 'object' },
  },
  required: ['jsonrpc', 'method'],
  additionalProperties: false,
};
const object: OpenApiObject = { type: 'object' };

/** One message of the protocol, or a batch of them. */
const declared: Declaration = {
  tag: 'Model Context Protocol',
  summary: 'Takes a message of the Model Context Protocol, for assistants',
  headers: { [timeoutHeader]: timeoutForm },
  notes: { [timeoutHeader]: 'How long the client waits, in milliseconds.' },
  body: { 'application/json': message },
  examples: {
    tools: { summary: 'The tools', value: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
  },
  answers: {
    200: {
      meaning: 'Its answer, as JSON or as a stream of events.',
      content: { 'application/json': object, 'text/event-stream': {} },
    },
    202: { meaning: 'Taken.' },
    // The protocol's own kind of error.
    400: answered(object, 'No message, or one of a version of the protocol that is not known.'),
    406: answered(
      object,
      'Not Acceptable: what takes both application/json and text/event-stream is answered.',
    ),
    413: answered(object, 'Content Too Large'),
    415: answered(object, 'Unsupported Media Type'),
  },
  problems: titled(422, 504),
};

type Handle = (context: Context<ApiEnv>, model: string | undefined) => Promise<Response>;

function handlerOf(
  { models, bodyLimit, timeout, costLimit, batch, facts, onError }: ApiContext,
  { hosts = localhostAllowedHostnames(), origins = [] }: McpPartOptions,
): Handle {
  return async (context, model) => {
    const request = context.req.raw;
    const refused = hosts === 'checked' ? undefined : foreignCaller(request, hosts, origins);
    if (refused !== undefined) return refused;
    const lease = await models.acquire(model);
    const subject = { model: lease.name, version: lease.version, cost: 0 };
    context.set('subject', subject);
    const options: McpOptions = {
      model: lease.name,
      timeout,
      caller: context.get('caller'),
      costLimit,
      facts,
      // A request may be a batch of calls.
      onCost(cost) {
        checkBatchCost(cost, subject.cost, batch.cost);
        subject.cost += cost;
      },
      onError: (error, requestId) => onError(error, requestId, 'part'),
    };
    // Of its own for each request: there are no sessions, and costs are those of the request.
    const handler = createMcpHandler(() => createMcpServer(models, options), {
      maxRequestBodySize: bodyLimit,
    });
    try {
      const limits = limitsOf(context, timeout);
      const isJson = /^\s*application\/json\s*(?:;|$)/i.test(request.headers.get('content-type') ?? '');
      // What is no JSON the kit refuses by its headers.
      const read: ReadMessage = isJson
        ? await readMessage(request, bodyLimit, limits)
        : { message: undefined };
      if (read.refusal !== undefined) return read.refusal;
      // Whatever is answered writes names.
      await inTurns(lease.engine.vocabulary.prepareNames(), limits);
      return await (isJson
        ? handler.fetch(takingBoth(request), { parsedBody: read.message })
        : handler.fetch(request));
    } finally {
      lease.release();
    }
  };
}

/** A request whose body was read: to take anything is to take both forms of an answer, which the kit wants by their names. */
function takingBoth(request: Request): Request {
  if (request.headers.get('accept')?.trim() !== '*/*') return request;
  const headers = new Headers(request.headers);
  headers.set('accept', 'application/json, text/event-stream');
  return new Request(request.url, { method: request.method, headers, signal: request.signal });
}

function foreignCaller(
  request: Request,
  hosts: readonly string[] | '*',
  origins: readonly string[],
): Response | undefined {
  const isAny = hosts === '*';
  const names = isAny ? [new URL(request.url).hostname, ...localhostAllowedHostnames()] : [...hosts];
  const foreign = isAny ? undefined : hostHeaderValidationResponse(request, names);
  if (foreign !== undefined) return foreign;
  const origin = request.headers.get('origin');
  const isNamed = origin !== null && (origins.includes('*') || origins.includes(origin));
  return isNamed ? undefined : originValidationResponse(request, names);
}
