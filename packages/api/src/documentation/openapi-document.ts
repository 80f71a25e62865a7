import { problemTitles } from '../errors/problem.ts';
import type { ModelLease } from '../models/model-registry.ts';
import type { ApiContext } from '../part/api-part.ts';
import {
  type Declaration,
  type DeclaredAnswer,
  type FieldNotes,
  type Form,
  formNamed,
  type OpenApiObject,
} from '../part/declaration.ts';
import { jsonSchemaOf, type KnownForms, rootOf, type Side } from './json-schema.ts';
import { problemForm, unread, unreadMeanings } from './problem-forms.ts';
import { v1Declarations } from './v1-declarations.ts';

/** How the document describes the server. */
export interface OpenApiOptions {
  /** Whether requests need a key, as `Authorization: Bearer`. */
  readonly bearer?: boolean;
}

/** Writes a form where it stands, with the notes of its part. */
type WriteForm = (form: Form, side: Side, notes?: FieldNotes) => OpenApiObject;

/** The API as OpenAPI 3.1, by the declarations of its routes, with examples over the graph of a model. */
export function openApiDocument(
  context: ApiContext,
  { name, version, engine }: ModelLease,
  { bearer = false }: OpenApiOptions = {},
): OpenApiObject {
  const all = [v1Declarations, ...context.parts.flatMap(({ declare }) => declare ?? [])].map((declare) =>
    declare(context, engine),
  );
  const served = new Set(context.routes().map(({ method, path }) => `${method} ${path}`));
  const named = all.flatMap(({ schemas = {}, notes }) =>
    Object.entries(schemas).map(([called, form]) => ({ called, form, notes })),
  );
  const names = new Map(named.map(({ called, form }) => [rootOf(form), called]));
  const stated = new Map(
    all.flatMap(({ stated = [] }) => stated.map(([form, said]) => [rootOf(form), said])),
  );
  const sent = new Set<string>();
  const known: KnownForms = {
    referenceTo(root, side) {
      const called = names.get(root);
      if (called !== undefined && side === 'body') sent.add(called);
      return called === undefined ? undefined : formNamed(called);
    },
    saidOf: (root) => stated.get(root),
  };
  const paths: Record<string, Record<string, OpenApiObject>> = {};
  for (const { routes, notes: common } of all) {
    // Routes of one model and of several have the same forms.
    const written = new Map<
      Form,
      { readonly side: Side; readonly own?: FieldNotes | undefined; readonly as: OpenApiObject }
    >();
    const write: WriteForm = (form, side, own) => {
      const before = written.get(form);
      if (before?.side === side && before.own === own) return before.as;
      const as =
        known.referenceTo(rootOf(form), side) ?? jsonSchemaOf(form, known, side, { ...common, ...own });
      written.set(form, { side, own, as });
      return as;
    };
    const add = (route: string, declaration: Declaration): void => {
      const [method = '', path = ''] = route.split(' ');
      const isOpen = path === '/healthz' || context.parts.some((part) => part.isOpen?.(path));
      const access = { bearer, isOpen: isOpen || declaration.isProbe === true };
      const address = path.replaceAll(/:(\w+)/g, '{$1}');
      paths[address] = {
        ...paths[address],
        [method.toLowerCase()]: operationOf(route, declaration, { name, access, write }),
      };
    };
    for (const [route, declaration] of Object.entries(routes)) {
      add(route, declaration);
      const ofModel = route.replace(' /v1/', ' /v1/models/:name/');
      if (ofModel !== route && served.has(ofModel)) add(ofModel, declaration);
    }
  }
  // What is sent within what is sent joins while the set is gone through.
  for (const called of sent) jsonSchemaOf(named.find((each) => each.called === called)!.form, known, 'body');
  const schemas = Object.fromEntries(
    named.map(({ called, form, notes }) => [
      called,
      jsonSchemaOf(form, known, sent.has(called) ? 'body' : 'answer', notes),
    ]),
  );
  return {
    openapi: '3.1.0',
    info: {
      title: `FuzzQE: ${name}`,
      version,
      description: `Logical queries over ${engine.vocabulary.entityCount} entities and ${engine.vocabulary.relationCount / 2} relations, also where facts are missing.`,
    },
    // Relative to the document: a proxy, or an application around this one, may have it below a path.
    servers: [{ url: './' }],
    paths,
    components: {
      responses: Object.fromEntries(
        unread
          .filter((status) => status !== 401 || bearer)
          .map((status) => [
            `Unread${status}`,
            { ...problemResponse(status), description: unreadMeanings[status] },
          ]),
      ),
      schemas,
      ...(bearer ? { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } } : {}),
    },
    ...(bearer ? { security: [{ bearer: [] }] } : {}),
  };
}

/** What an operation is written with. */
interface Writing {
  /** An example of a model. */
  readonly name: string;
  readonly access: { readonly bearer: boolean; readonly isOpen: boolean };
  readonly write: WriteForm;
}

function operationOf(
  route: string,
  { tag, summary, description, body, examples, mayLackBody, isProbe, ...more }: Declaration,
  { name, access, write }: Writing,
): OpenApiObject {
  const { bearer, isOpen } = access;
  const words = route.split(/[^a-z0-9]+/i).filter((word) => word !== '' && word !== 'v1');
  const parameters = parametersOf(route, more, name, write);
  const [first] = Object.values(body ?? {});
  const content = Object.entries(body ?? {}).map(([type, form]) => [
    type,
    {
      schema: write(form, 'body', more.notes),
      ...(examples === undefined || form !== first ? {} : { examples }),
    },
  ]);
  return {
    operationId: words.join('-').toLowerCase(),
    summary,
    ...(description === undefined ? {} : { description }),
    tags: [tag],
    ...(isProbe === true || (bearer && isOpen) ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: mayLackBody !== true, content: Object.fromEntries(content) } }),
    responses: responsesOf(route, { ...more, ...(isProbe === true ? { isProbe } : {}) }, access, write),
  };
}

function parametersOf(
  route: string,
  { path = {}, query = {}, headers = {}, notes }: Pick<Declaration, 'path' | 'query' | 'headers' | 'notes'>,
  name: string,
  write: WriteForm,
): readonly OpenApiObject[] {
  const model = { type: 'string', description: 'A name that GET /v1/models lists.', example: name };
  const known: Readonly<Record<string, Form>> = { name: model, model, ...path };
  const inPath = [...route.matchAll(/:(\w+)/g)].map(([, part]) => part!);
  const groups = {
    path: write(
      {
        properties: Object.fromEntries(inPath.map((part) => [part, known[part] ?? { type: 'string' }])),
        required: inPath,
      },
      'parameter',
      notes,
    ),
    query: write(query, 'parameter', notes),
    header: write({ properties: headers }, 'parameter', notes),
  };
  // What has a value of its own when absent is needed in what is read of it alone.
  const { required = [] } = write(query, 'body') as { readonly required?: readonly string[] }; // by JSON Schema
  const needed: Readonly<Record<string, readonly string[]>> = { path: inPath, query: required };
  return Object.entries(groups).flatMap(([place, { properties = {} }]) =>
    Object.entries(properties as Readonly<Record<string, OpenApiObject>>).map(
      ([called, { description, example, ...form }]) => ({
        name: called,
        in: place,
        ...(needed[place]?.includes(called) === true ? { required: true } : {}),
        ...(description === undefined ? {} : { description }),
        ...(example === undefined ? {} : { example }),
        schema: form,
      }),
    ),
  );
}

/** What an operation answers, and what its server may answer before. */
function responsesOf(
  route: string,
  { answers, problems = {}, refusal, isProbe }: Omit<Declaration, 'tag' | 'summary'>,
  { bearer, isOpen }: Writing['access'],
  write: WriteForm,
): Record<string, OpenApiObject> {
  const meanings: Readonly<Record<number, string>> = problems;
  const refused =
    refusal === undefined ? problemContent : { 'application/json': { schema: write(refusal, 'answer') } };
  const faults = isProbe === true ? [] : [500, 503, ...(route.includes(':') ? [404] : [])];
  const responses: Record<string, OpenApiObject> = {};
  for (const status of new Set([...Object.keys(meanings).map(Number), ...faults]))
    responses[status] = problemResponse(status, meanings[status], refused);
  for (const [status, answer] of Object.entries(answers)) responses[status] = answerOf(answer, write);
  const early =
    isProbe === true ? [408, 431] : unread.filter((status) => status !== 401 || (bearer && !isOpen));
  for (const status of early) {
    const own = responses[status];
    responses[status] =
      own === undefined
        ? { $ref: `#/components/responses/Unread${status}` }
        : { ...own, content: { ...problemContent, ...(own['content'] as OpenApiObject) } }; // by OpenAPI
  }
  return responses;
}

function answerOf(
  { meaning = 'The answer.', content, headers: own = {} }: DeclaredAnswer,
  write: WriteForm,
): OpenApiObject {
  const described = Object.entries(own).map(([name, form]) => {
    const { description, ...schema } = write(form, 'answer');
    return [name, { ...(description === undefined ? {} : { description }), schema }];
  });
  const written = Object.entries(content ?? {}).map(([type, form]) => [
    type,
    { schema: write(form, 'answer') },
  ]);
  return {
    description: meaning,
    headers: { ...headers, ...Object.fromEntries(described) },
    ...(content === undefined ? {} : { content: Object.fromEntries(written) }),
  };
}

const problemContent: OpenApiObject = { 'application/problem+json': { schema: problemForm } };

const headers: OpenApiObject = {
  'x-request-id': {
    description: "The client's own, or one that was given to the request.",
    schema: { type: 'string' },
  },
};

/** What the server is at fault for. */
const faultMeanings: Readonly<Record<number, string>> = {
  500: 'Internal Server Error: a fault that lasts until somebody mends it, so that the same request would fail again.',
  503: 'Service Unavailable: a fault that passes by itself, so that the same request may be sent again.',
};

function problemResponse(
  status: number,
  meaning = '',
  content: OpenApiObject = problemContent,
): OpenApiObject {
  // The statuses of operations are among those of problems.
  const title = faultMeanings[status] ?? problemTitles[status as keyof typeof problemTitles];
  return {
    description: meaning === '' ? title : `${title}: ${meaning}`,
    headers: {
      ...headers,
      ...(status === 429 || status === 503
        ? { 'retry-after': { description: 'Seconds.', schema: { type: 'integer' } } }
        : {}),
    },
    content,
  };
}
