import type { OpenApiObject, OpenApiPart } from '@fuzzqe/engine/api';
import { resultFormats } from '../results/write-results.ts';

const text = { type: 'string' } as const;
const problem = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };

const term: OpenApiObject = {
  type: 'object',
  properties: { type: { enum: ['uri', 'literal'] }, value: text, datatype: text },
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

const problems: Readonly<Record<string, string>> = {
  400: 'What of the query cannot be answered, and why.',
  404: 'No such model.',
  413: 'A body over the limit.',
  415: 'A body of another media type.',
  429: 'Too many requests at once.',
  500: 'A fault that lasts until somebody mends it.',
  503: 'A fault that passes by itself.',
  504: 'The time is over.',
};

function operation(id: string, more: OpenApiObject, description: boolean): OpenApiObject {
  const [json, ...others] = resultFormats.map(({ mediaType }) => mediaType);
  const forms = others.map((type) => [type, { schema: text }]);
  const turtle = description ? { 'text/turtle': { schema: text } } : {};
  const refusals = Object.entries(problems).map(([status, meaning]) => [
    status,
    { description: meaning, content: problem },
  ]);
  return {
    operationId: id,
    tags: ['SPARQL'],
    summary: 'Answers a query of SPARQL 1.1 whose patterns make a tree',
    description:
      'SELECT of one variable, with ?degree, ?known and ?label beside it, or ASK. Results as the header Accept prefers.',
    ...more,
    responses: {
      200: {
        description: 'The results.',
        content: {
          [json!]: { schema: { $ref: '#/components/schemas/SparqlResults' } },
          ...Object.fromEntries(forms),
          ...turtle,
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
      'application/x-www-form-urlencoded': {
        schema: { type: 'object', properties: { query: text }, required: ['query'] },
      },
    },
  };
  const item = (name: string, parameters: readonly OpenApiObject[]): OpenApiObject => ({
    get: operation(`get-${name}`, { parameters: [...parameters, query] }, true),
    post: operation(`post-${name}`, { parameters, requestBody }, false),
  });
  return {
    paths: { '/sparql': item('sparql', []), '/v1/models/{name}/sparql': item('models-name-sparql', [model]) },
    schemas: { SparqlResults: results },
  };
}
