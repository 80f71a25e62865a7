import type { OpenApiObject, OpenApiPart } from '@fuzzqe/api';
import { resultFormats } from '../results/write-results.ts';

const text = { type: 'string' } as const;
const problem = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };

const term: OpenApiObject = {
  type: 'object',
  properties: {
    type: { enum: ['uri', 'literal', 'bnode'] },
    ...{ value: text, datatype: text, 'xml:lang': text },
  },
  required: ['type', 'value'],
  additionalProperties: false,
};
const results: OpenApiObject = {
  title: 'Results of SPARQL 1.1',
  oneOf: [
    {
      type: 'object',
      properties: {
        head: { type: 'object', properties: { vars: { type: 'array', items: text } }, required: ['vars'] },
        results: {
          type: 'object',
          properties: { bindings: { type: 'array', items: { type: 'object', additionalProperties: term } } },
          required: ['bindings'],
        },
      },
      required: ['head', 'results'],
    },
    {
      type: 'object',
      properties: { head: { type: 'object' }, boolean: { type: 'boolean' } },
      required: ['head', 'boolean'],
    },
  ],
};

const count = { type: 'integer', minimum: 0 } as const;
const updated: OpenApiObject = {
  title: 'What an update came to',
  type: 'object',
  properties: {
    ...{ epoch: count, added: count, removed: count, unchanged: count },
    created: {
      type: 'integer',
      minimum: 1,
      description: 'Entities and relations that the graph did not have.',
    },
    repeated: { const: true },
  },
  required: ['epoch', 'added', 'removed', 'unchanged'],
  additionalProperties: false,
};

const problems: Readonly<Record<string, string>> = {
  400: 'What of the text cannot be answered, and why.',
  404: 'No such model.',
  413: 'A body over the limit.',
  415: 'A body of another media type.',
  429: 'Too many requests at once.',
  500: 'A fault that lasts until somebody fixes it.',
  503: 'A fault that passes by itself.',
  504: 'The time is over.',
};

const updateProblems: Readonly<Record<string, string>> = {
  403: 'An update of a caller who may not write.',
  409: 'The id of another store of facts.',
  422: 'More changes than an update may have.',
};

function operation(id: string, more: OpenApiObject, description: boolean): OpenApiObject {
  const [json, ...others] = resultFormats.map(({ mediaType }) => mediaType);
  const forms = others.map((type) => [type, { schema: text }]);
  const refusals = Object.entries({ ...problems, ...(description ? {} : updateProblems) }).map(
    ([status, meaning]) => [status, { description: meaning, content: problem }],
  );
  return {
    operationId: id,
    tags: ['SPARQL'],
    summary: description
      ? 'Answers a query of SPARQL 1.1'
      : 'Answers a query of SPARQL 1.1, or updates recorded facts',
    description:
      'A query reads recorded facts and links of a degree of 0.5 or more. With ?degree, ?known or ?label it ranks the answers of a tree with one variable. Results as the header Accept prefers. An update is answered with its epoch and counts, on a server whose facts change.',
    ...more,
    responses: {
      200: {
        description: 'The results.',
        headers: {
          'fuzzqe-warning': {
            description: 'What was answered by recorded facts without likely links, as `code: text`.',
            schema: text,
          },
        },
        content: {
          [json!]: { schema: { $ref: '#/components/schemas/SparqlResults' } },
          ...(description
            ? {}
            : { 'application/json': { schema: { $ref: '#/components/schemas/SparqlUpdated' } } }),
          ...Object.fromEntries(forms),
        },
      },
      ...Object.fromEntries(refusals),
    },
  };
}

/** What the protocol adds to the description of the API. */
export function sparqlOpenApi(): OpenApiPart {
  const query = {
    name: 'query',
    in: 'query',
    description: 'Without it: the service description.',
    schema: text,
  };
  const create = {
    name: 'create',
    in: 'query',
    description:
      'Whether facts that an update adds may have names that the graph lacks, which become entities and relations.',
    schema: { enum: ['true', 'false'], default: 'false' },
  };
  const flag = { enum: ['true', 'false'], default: 'false' };
  const links = [
    {
      name: 'minDegree',
      in: 'query',
      description: 'The lowest degree of a link that is not recorded.',
      schema: { type: 'number', exclusiveMinimum: 0, maximum: 1, default: 0.5 },
    },
    { name: 'recorded', in: 'query', description: 'Whether recorded facts alone are read.', schema: flag },
    {
      name: 'ranked',
      in: 'query',
      description: 'Whether answers are ranked, as with ?degree.',
      schema: flag,
    },
  ];
  const model = {
    name: 'name',
    in: 'path',
    required: true,
    description: 'The name of a model.',
    schema: text,
  };
  const requestBody = {
    required: true,
    content: {
      'application/sparql-query': { schema: text },
      'application/sparql-update': { schema: text },
      'application/x-www-form-urlencoded': {
        schema: {
          type: 'object',
          properties: { query: text, update: text },
          oneOf: [{ required: ['query'] }, { required: ['update'] }],
        },
      },
    },
  };
  const item = (name: string, parameters: readonly OpenApiObject[]): OpenApiObject => ({
    get: operation(`get-${name}`, { parameters: [...parameters, query, ...links] }, true),
    post: operation(`post-${name}`, { parameters: [...parameters, create, ...links], requestBody }, false),
  });
  return {
    paths: { '/sparql': item('sparql', []), '/v1/models/{name}/sparql': item('models-name-sparql', [model]) },
    schemas: { SparqlResults: results, SparqlUpdated: updated },
  };
}
