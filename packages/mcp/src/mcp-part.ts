import { type ApiContext, type ApiEnv, type ApiPart, limitsOf, type OpenApiObject } from '@fuzzqe/api';
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
    openapi: {
      paths: {
        '/mcp': { post: message('') },
        '/mcp/{model}': { parameters: [modelParameter], post: message('-of-model') },
      },
    },
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

const modelParameter = { name: 'model', in: 'path', required: true, schema: { type: 'string' } };

/** One message of the protocol, whose own specification describes what is in it. */
function message(suffix: string): OpenApiObject {
  const json = { content: { 'application/json': { schema: { type: 'object' } } } };
  const events = { 'text/event-stream': { schema: { type: 'string' } } };
  // The protocol's own kind of error, and those that all paths have.
  const refused = (description: string): OpenApiObject => ({ description, ...json });
  const problem = (description: string): OpenApiObject => ({
    description,
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  });
  return {
    operationId: `model-context-protocol${suffix}`,
    summary: 'takes a message of the Model Context Protocol, for assistants',
    tags: ['Model Context Protocol'],
    requestBody: { required: true, ...json },
    responses: {
      200: {
        description: 'Its answer, as JSON or as a stream of events.',
        content: { ...json.content, ...events },
      },
      202: { description: 'Taken.' },
      400: refused('No message, or one of a version of the protocol that is not known.'),
      ...(suffix === '' ? {} : { 404: problem('Not Found') }),
      406: refused('Not Acceptable: what takes both application/json and text/event-stream is answered.'),
      413: refused('Content Too Large'),
      415: refused('Unsupported Media Type'),
      500: problem('Internal Server Error'),
      503: problem('Service Unavailable'),
      504: problem('Gateway Timeout'),
    },
  };
}

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
      return await handler.fetch(request, isJson ? { parsedBody: read.message } : {});
    } finally {
      lease.release();
    }
  };
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
