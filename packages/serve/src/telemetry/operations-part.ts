import { type ApiEnv, type ApiPart, answered } from '@fuzzqe/api';
import { schema } from '@fuzzqe/core';
import { indexStates } from '@fuzzqe/engine';
import { Hono } from 'hono';
import type { Metrics } from './metrics.ts';

const { array, boolean, object, oneOf, optional, record, string } = schema;
const indexState = oneOf(indexStates);
const count = schema.integer({ min: 0 });
const live = object({ ok: boolean });
const ready = object({
  ok: boolean,
  indexes: optional(schema.union([record(indexState), array(indexState)])),
  models: optional(
    object({ open: count, closed: count, opening: count, failed: schema.union([record(string), count]) }),
  ),
  facts: optional(
    object({ state: oneOf(['following', 'away', 'refused']), epoch: schema.integer({ min: 0 }) }),
  ),
});

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
    declare: () => ({
      notes: {
        indexes:
          'The states of the indexes that models ask: by the names of the models for whoever may know them, else a list. Absent where there are none.',
        models:
          'How many models are open, closed and being opened; a closed model opens when it is asked for. Of models that cannot be opened, why, for whoever may know the names, else how many. Absent where all models are opened at the start.',
        facts: 'How the facts follow another server. Absent where they follow none.',
      },
      routes: {
        'GET /livez': {
          ...{ tag: 'Server', summary: 'Says that the server runs', isProbe: true },
          answers: { 200: answered(live, 'It does.') },
        },
        'GET /readyz': {
          ...{ tag: 'Server', summary: 'Says whether requests may be sent to the server', isProbe: true },
          answers: {
            200: answered(ready, 'Every model answers, or opens when it is asked for.'),
            503: answered(ready, 'Models are being opened, or the server is about to end.'),
          },
        },
        'GET /metrics': {
          ...{ tag: 'Server', summary: 'Counts and times, for Prometheus' },
          answers: { 200: { content: { [contentType.split(';')[0]!]: string } } },
        },
      },
    }),
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
