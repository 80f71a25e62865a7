import type { ApiEnv, ApiPart } from '@fuzzqe/engine/api';
import { Hono } from 'hono';
import type { Metrics } from './metrics.ts';

/** `GET /metrics` in the text format of Prometheus. */
export function metricsPart(metrics: Metrics): ApiPart {
  return {
    path: '/metrics',
    endpoints: { 'GET /metrics': 'counts and times, for Prometheus' },
    routes() {
      const routes = new Hono<ApiEnv>();
      routes.get('/', async (context) =>
        context.body(await metrics.text(), 200, {
          'content-type': metrics.contentType,
          'cache-control': 'no-store',
        }),
      );
      return routes;
    },
  };
}
