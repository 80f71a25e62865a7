import { problemCodes, problemTitles } from '../errors/problem.ts';
import type { ModelLease } from '../models/model-registry.ts';
import type { ApiContext, OpenApiObject } from '../part/api-part.ts';
import { responseSchemas } from './response-schemas.ts';
import { type Operation, v1Operations } from './v1-operations.ts';

/** How the document describes the server. */
export interface OpenApiOptions {
  /** Whether requests need a key, as `Authorization: Bearer`. */
  readonly bearer?: boolean;
}

/** The API as OpenAPI 3.1, with examples over the graph of a model. */
export function openApiDocument(
  context: ApiContext,
  { name, version, engine }: ModelLease,
  { bearer = false }: OpenApiOptions = {},
): OpenApiObject {
  const ofModel = v1Operations(context, engine);
  const paths: Record<string, Record<string, unknown>> = {};
  const add = (path: string, operation: Operation, parameters: readonly OpenApiObject[]): void => {
    paths[path] = { ...paths[path], [operation.method]: operationObject(path, operation, parameters) };
  };
  for (const operation of ofModel) {
    const needsName = operation.path.includes('{name}');
    add(operation.path, operation, needsName ? [nameParameter(name)] : []);
    if (operation.ofModel)
      add(operation.path.replace('/v1/', '/v1/models/{name}/'), operation, [nameParameter(name)]);
  }
  const parts = context.parts.map((part) => part.openapi).filter((part) => part !== undefined);
  // A part may add a method to a path of others.
  for (const part of parts)
    for (const [path, item] of Object.entries(part.paths)) paths[path] = { ...paths[path], ...item };
  return {
    openapi: '3.1.0',
    info: {
      title: `FuzzQE: ${name}`,
      version,
      description: `Logical queries over ${engine.vocabulary.entityCount} entities and ${engine.vocabulary.relationCount / 2} relations, also where facts are missing.`,
    },
    // Relative to the document: a proxy, or an application around this one, may have it below a path.
    servers: [{ url: './' }],
    paths: withUnread(paths, {
      bearer,
      isOpen: (path) => path === '/healthz' || context.parts.some((part) => part.isOpen?.(path)),
    }),
    components: {
      responses: { ...unreadResponses, ...(bearer ? { Unread401: unreadResponse('401') } : {}) },
      schemas: Object.assign(
        { ...responseSchemas(), ...problemSchemas(), BatchLine: batchLine },
        ...parts.map((part) => part.schemas),
      ),
      ...(bearer ? { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } } : {}),
    },
    ...(bearer ? { security: [{ bearer: [] }] } : {}),
  };
}

function operationObject(
  path: string,
  { method, summary, description, tag, parameters = [], requestBody, answers, problems }: Operation,
  more: readonly OpenApiObject[],
): OpenApiObject {
  const words = path.split(/[^a-z0-9]+/i).filter((word) => word !== '' && word !== 'v1');
  const statuses = [...new Set([...problems, ...(more.length > 0 ? [404] : []), 500, 503])].sort();
  return {
    operationId: [method, ...words].join('-'),
    summary,
    ...(description === undefined ? {} : { description }),
    tags: [tag],
    ...(more.length + parameters.length === 0 ? {} : { parameters: [...more, ...parameters] }),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: {
      200: { description: 'The answer.', headers, content: answers },
      ...(path === '/healthz' ? { 503: { description: 'Not ready.', headers, content: answers } } : {}),
      ...Object.fromEntries(
        statuses
          .filter((status) => status !== 503 || path !== '/healthz')
          .map((status) => [status, problemResponse(status)]),
      ),
    },
  };
}

/** What servers answer to requests that come as far as no operation. */
const unread: Readonly<Record<number, string>> = {
  401: 'Unauthorized: the request has no key of this server.',
  403: 'Forbidden: the name that the server is called by, or the page that calls it, is none of its own.',
  408: 'Request Timeout: the request did not come whole in the time that it has.',
  429: 'Too Many Requests: more than the server takes at once, or than a client may send.',
  431: 'Request Header Fields Too Large: so are the address and the headers together.',
};

/** Whether keys are asked for, and which paths are answered without one. */
interface Access {
  readonly bearer: boolean;
  readonly isOpen: (path: string) => boolean;
}

/** Paths of which each operation has what every request may be answered, and asks for no key where none is needed. */
function withUnread(
  paths: Readonly<Record<string, OpenApiObject>>,
  { bearer, isOpen }: Access,
): Record<string, OpenApiObject> {
  const operation = (path: string, value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || !('responses' in value)) return value;
    // What says itself that it asks for no key is answered before anything is looked at.
    const isProbe = 'security' in value;
    const needsKey = bearer && !isOpen(path);
    const without = isProbe ? [401, 403, 429] : needsKey ? [] : [401];
    const own = value.responses as Readonly<Record<string, OpenApiObject>>; // by OpenAPI
    const common = Object.keys(unread)
      .filter((status) => !without.includes(Number(status)))
      .map((status) => [status, withProblem(status, own[status])]);
    const open = bearer && !isProbe && !needsKey ? { security: [] } : {};
    return { ...value, ...open, responses: { ...own, ...Object.fromEntries(common) } };
  };
  return Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [
      path,
      Object.fromEntries(Object.entries(item).map(([key, value]) => [key, operation(path, value)])),
    ]),
  );
}

/** What an operation itself answers with a status, which a server may answer before with a problem. */
function withProblem(status: string, own: OpenApiObject | undefined): OpenApiObject {
  if (own === undefined) return { $ref: `#/components/responses/Unread${status}` };
  return { ...own, content: { ...problemContent, ...(own['content'] as OpenApiObject) } }; // by OpenAPI
}

const problemContent: OpenApiObject = {
  'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
};

const headers: OpenApiObject = {
  'x-request-id': {
    description: "The client's own, or one that was given to the request.",
    schema: { type: 'string' },
  },
};

/** What the server is at fault for. */
const faults: Readonly<Record<number, string>> = {
  500: 'Internal Server Error: a fault that lasts until somebody mends it, so that the same request would fail again.',
  503: 'Service Unavailable: a fault that passes by itself, so that the same request may be sent again.',
};

function problemResponse(status: number): OpenApiObject {
  return {
    // The statuses of operations are among those of problems.
    description: faults[status] ?? problemTitles[status as keyof typeof problemTitles],
    headers: {
      ...headers,
      ...(status === 429 || status === 503
        ? { 'retry-after': { description: 'Seconds.', schema: { type: 'integer' } } }
        : {}),
    },
    content: problemContent,
  };
}

const unreadResponse = (status: string): OpenApiObject => ({
  ...problemResponse(Number(status)),
  description: unread[Number(status)],
});

const unreadResponses = Object.fromEntries(
  Object.keys(unread)
    .filter((status) => status !== '401')
    .map((status) => [`Unread${status}`, unreadResponse(status)]),
);

function nameParameter(name: string): OpenApiObject {
  return {
    name: 'name',
    in: 'path',
    required: true,
    description: 'A name that GET /v1/models lists.',
    example: name,
    schema: { type: 'string' },
  };
}

/** RFC 9457, and what a line of a batch has of it. */
function problemSchemas(): Readonly<Record<string, OpenApiObject>> {
  const statuses = Object.keys({ ...problemTitles, ...unread }).map(Number);
  const code = { description: 'What was wrong, for programs.', enum: problemCodes };
  const status = { enum: statuses };
  const told = {
    detail: { type: 'string', description: 'What was expected and what was found.' },
    path: { type: 'string', description: 'Where: a JSON path or the name of a parameter.' },
    hint: { type: 'string', description: 'How to mend it.' },
  };
  return {
    Problem: {
      type: 'object',
      properties: {
        type: { const: 'about:blank' },
        title: { type: 'string' },
        status,
        code,
        ...told,
        requestId: { type: 'string' },
      },
      required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
      additionalProperties: false,
    },
    LineProblem: {
      type: 'object',
      properties: { status, code, ...told },
      required: ['status', 'code'],
      additionalProperties: false,
    },
  };
}

const line = { type: 'integer', minimum: 1, description: 'Which line of the request it answers.' };
const id = { description: "The line's own.", anyOf: [{ type: 'string' }, { type: 'number' }] };
const batchLine: OpenApiObject = {
  oneOf: [
    {
      type: 'object',
      properties: { line, id, answer: { $ref: '#/components/schemas/Answer' } },
      required: ['line', 'answer'],
      additionalProperties: false,
    },
    {
      type: 'object',
      properties: { line, id, problem: { $ref: '#/components/schemas/LineProblem' } },
      required: ['problem'],
      additionalProperties: false,
    },
  ],
};
