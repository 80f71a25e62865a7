import type { ApiEnv, ApiPart, OpenApiObject } from '@fuzzqe/engine/api';
import { Hono } from 'hono';
import type { Metrics } from './metrics.ts';

const indexState: OpenApiObject = { enum: ['ready', 'away', 'changed', 'closed'] };

const live: OpenApiObject = {
  type: 'object',
  properties: { ok: { const: true } },
  required: ['ok'],
  additionalProperties: false,
};

const ready: OpenApiObject = {
  type: 'object',
  properties: {
    ok: { type: 'boolean' },
    indexes: {
      description:
        'The states of the indexes that models ask: by the names of the models for whoever may know them, else a list. Absent where there are none.',
      anyOf: [
        { type: 'object', additionalProperties: indexState },
        { type: 'array', items: indexState },
      ],
    },
  },
  required: ['ok'],
  additionalProperties: false,
};

const answer = (description: string, type: string, schema: OpenApiObject): OpenApiObject => ({
  description,
  content: { [type]: { schema } },
});

/** Health asks for no key. */
const health = (
  operationId: string,
  summary: string,
  responses: Readonly<Record<number, OpenApiObject>>,
): OpenApiObject => ({ get: { operationId, summary, tags: ['Server'], security: [], responses } });

/**
 * What those ask who run the server: `GET /metrics` in the text format of Prometheus, and the description of `GET /livez` and
 * `GET /readyz`, which the front door answers whatever else is going on.
 */
export function operationsPart(metrics: Metrics): ApiPart {
  const { contentType } = metrics;
  return {
    path: '/metrics',
    endpoints: {
      'GET /livez': 'says that the server runs',
      'GET /readyz': 'says whether requests may be sent to it',
      'GET /metrics': 'counts and times, for Prometheus',
    },
    openapi: {
      paths: {
        '/livez': health('get-livez', 'Says that the server runs', {
          200: answer('It does.', 'application/json', live),
        }),
        '/readyz': health('get-readyz', 'Says whether requests may be sent to the server', {
          200: answer('Every model answers.', 'application/json', ready),
          503: answer('Models are being opened, or the server is about to end.', 'application/json', ready),
        }),
        '/metrics': {
          get: {
            operationId: 'get-metrics',
            summary: 'Counts and times, for Prometheus',
            tags: ['Server'],
            responses: {
              200: answer('The metrics.', contentType.split(';')[0]!, { type: 'string' }),
            },
          },
        },
      },
    },
    routes() {
      const routes = new Hono<ApiEnv>();
      routes.get('/', async (context) =>
        context.body(await metrics.text(), 200, {
          'content-type': contentType,
          'cache-control': 'no-store',
        }),
      );
      return routes;
    },
  };
}
