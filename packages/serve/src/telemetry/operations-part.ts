import type { ApiEnv, ApiPart, OpenApiObject } from '@fuzzqe/api';
import { indexStates } from '@fuzzqe/engine';
import { Hono } from 'hono';
import { describedAnswer } from '../openapi/described-answer.ts';
import type { Metrics } from './metrics.ts';

const indexState: OpenApiObject = { enum: indexStates };

const count: OpenApiObject = { type: 'integer', minimum: 0 };

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
    models: {
      type: 'object',
      description:
        'How many models are open, closed and being opened; a closed model opens when it is asked for. Of models that cannot be opened, why, for whoever may know the names, else how many. Absent where all models are opened at the start.',
      properties: {
        open: count,
        closed: count,
        opening: count,
        failed: { anyOf: [{ type: 'object', additionalProperties: { type: 'string' } }, count] },
      },
      required: ['open', 'closed', 'opening', 'failed'],
      additionalProperties: false,
    },
    facts: {
      type: 'object',
      description: 'How the facts follow another server. Absent where they follow none.',
      properties: {
        state: { enum: ['following', 'away', 'refused'] },
        epoch: { type: 'integer', minimum: 0 },
      },
      required: ['state', 'epoch'],
      additionalProperties: false,
    },
  },
  required: ['ok'],
  additionalProperties: false,
};

const operation = (
  path: string,
  summary: string,
  responses: Readonly<Record<number, OpenApiObject>>,
  more: OpenApiObject = {},
): Record<string, OpenApiObject> => ({
  [path]: { get: { operationId: `get-${path.slice(1)}`, summary, tags: ['Server'], ...more, responses } },
});

/** Health asks for no key. */
const open: OpenApiObject = { security: [] };

/**
 * What those ask who run the server: `GET /metrics` in the text format of Prometheus, and the description of `GET /livez` and
 * `GET /readyz`, which admission answers whatever else is going on.
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
        ...operation('/livez', 'Says that the server runs', { 200: describedAnswer('It does.', live) }, open),
        ...operation(
          '/readyz',
          'Says whether requests may be sent to the server',
          {
            200: describedAnswer('Every model answers, or opens when it is asked for.', ready),
            503: describedAnswer('Models are being opened, or the server is about to end.', ready),
          },
          open,
        ),
        ...operation('/metrics', 'Counts and times, for Prometheus', {
          200: describedAnswer('The metrics.', { type: 'string' }, contentType.split(';')[0]),
        }),
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
