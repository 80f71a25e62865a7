import type { OpenApiObject, OpenApiPart } from '@fuzzqe/api';
import { describedAnswer } from '../openapi/described-answer.ts';

const parameter = (name: string, example: string): OpenApiObject => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string' },
  example,
});

const error = describedAnswer('What is wrong, and how to mend it.', {
  type: 'object',
  required: ['error'],
  properties: { error: { type: 'string' } },
});

const strings: OpenApiObject = { type: 'array', items: { type: 'string' } };

const tensors = (fields: OpenApiObject): OpenApiObject => ({
  type: 'array',
  items: {
    type: 'object',
    required: ['name', 'datatype', 'shape'],
    properties: {
      name: { type: 'string' },
      datatype: { enum: ['INT64', 'FP32', 'BYTES'] },
      shape: { type: 'array', items: { type: 'integer' } },
      ...fields,
    },
  },
});

const object = (properties: OpenApiObject): OpenApiObject => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});

const data: OpenApiObject = { type: 'array', items: {}, description: 'Row by row, nested or flat.' };

const inferenceRequest: OpenApiObject = {
  type: 'object',
  required: ['inputs'],
  additionalProperties: false,
  properties: {
    id: { type: 'string', description: 'Comes back in the answer.' },
    model_name: { type: 'string', description: 'That of the address, where a client repeats it.' },
    parameters: {
      type: 'object',
      description: 'How to answer, as in POST /v1/query.',
      properties: {
        mode: { enum: ['sets', 'embedding'], default: 'sets' },
        k: { type: 'integer', minimum: 1 },
        exclude: { enum: ['known', 'none'], default: 'none' },
        min_degree: { type: 'number', minimum: 0, maximum: 1 },
      },
    },
    inputs: { ...tensors({ data }), description: 'What the model takes: query, or anchors and relations.' },
    outputs: {
      type: 'array',
      items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
      description: 'Which outputs are wanted. Default: ids, and degrees or scores.',
    },
  },
};

const inferenceExample = {
  id: 'one',
  parameters: { k: 3 },
  inputs: [{ name: 'query', datatype: 'BYTES', shape: [1], data: ['project(#0, #1)'] }],
};

const readiness = object({ ready: { type: 'boolean' } });

const get = (id: string, summary: string, ok: OpenApiObject, statuses: readonly number[]): OpenApiObject =>
  operation(id, summary, ok, statuses, {});

function operation(
  id: string,
  summary: string,
  ok: OpenApiObject,
  statuses: readonly number[],
  more: OpenApiObject,
): OpenApiObject {
  return {
    operationId: `inference-protocol-${id}`,
    summary,
    tags: ['Open Inference Protocol'],
    responses: { 200: ok, ...Object.fromEntries(statuses.map((status) => [status, error])) },
    ...more,
  };
}

/** The routes of one model, with or without its version. */
function modelPaths(
  path: string,
  suffix: string,
  parameters: readonly OpenApiObject[],
): Record<string, OpenApiObject> {
  const names = { name: { type: 'string' } };
  const metadata = object({
    ...names,
    versions: strings,
    platform: { type: 'string' },
    inputs: tensors({}),
    outputs: tensors({}),
  });
  const response = {
    type: 'object',
    required: ['model_name', 'outputs'],
    properties: {
      model_name: { type: 'string' },
      model_version: { type: 'string' },
      id: { type: 'string' },
      outputs: tensors({ data }),
    },
  };
  return {
    [path]: {
      parameters,
      get: get(
        `model${suffix}`,
        'describes a model',
        describedAnswer('Its inputs and outputs.', metadata),
        [404, 503],
      ),
    },
    [`${path}/ready`]: {
      parameters,
      get: get(
        `model-ready${suffix}`,
        'says whether a model is ready',
        describedAnswer('It is.', object({ ...names, ready: { type: 'boolean' } })),
        [404, 503],
      ),
    },
    [`${path}/infer`]: {
      parameters,
      post: operation(
        `infer${suffix}`,
        'answers the queries of a model',
        describedAnswer('Tensors, a row a query.', response),
        [400, 404, 413, 415, 422, 429, 500, 503, 504],
        {
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: inferenceRequest,
                examples: { query: { value: inferenceExample } },
              },
            },
          },
        },
      ),
    },
  };
}

/** The protocol as OpenAPI 3.1. */
export const protocolOpenApi: OpenApiPart = {
  paths: {
    '/v2': {
      get: get(
        'server',
        'describes the server',
        describedAnswer(
          'There are no extensions.',
          object({ name: { type: 'string' }, version: { type: 'string' }, extensions: strings }),
        ),
        [],
      ),
    },
    '/v2/health/live': {
      get: {
        ...get(
          'live',
          'says that the server runs',
          describedAnswer('It does.', object({ live: { type: 'boolean' } })),
          [],
        ),
        security: [],
      },
    },
    '/v2/health/ready': {
      get: {
        ...get('ready', 'says whether every model is ready', describedAnswer('They are.', readiness), []),
        responses: {
          200: describedAnswer('They are.', readiness),
          503: describedAnswer('They are not.', readiness),
        },
        security: [],
      },
    },
    ...modelPaths('/v2/models/{name}', '', [parameter('name', 'fuzzqe')]),
    ...modelPaths('/v2/models/{name}/versions/{version}', '-version', [
      parameter('name', 'fuzzqe'),
      parameter('version', '1'),
    ]),
  },
};
