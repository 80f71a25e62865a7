import { Hono } from 'hono';
import type { ApiContext, ApiEnv, ApiPart, OpenApiObject } from '../api-part.ts';
import { docsPage } from './docs-page.ts';
import { type OpenApiOptions, openApiDocument } from './openapi-document.ts';
import { tryPolicy } from './try-script.ts';

/**
 * The part of an application that describes it: `GET /openapi.json`, OpenAPI 3.1 from the schemas that read requests, and
 * `GET /docs`, the same as a page that loads nothing from elsewhere and sends its examples. Examples are over the graph of the default model.
 *
 * @example
 * const app = createApp(models, { mount: [documentation()] });
 */
export function documentation(options: OpenApiOptions = {}): ApiPart {
  const documentOf = (context: ApiContext): OpenApiObject => {
    const model = context.models.acquire();
    try {
      return openApiDocument(context, model, options);
    } finally {
      model.release();
    }
  };
  return {
    path: '/',
    endpoints: { 'GET /docs': 'describes the API', 'GET /openapi.json': 'the same, for programs' },
    openapi: {
      paths: {
        '/openapi.json': { get: plainOperation('This document', 'application/json', { type: 'object' }) },
        '/docs': { get: plainOperation('This document as a page', 'text/html', { type: 'string' }) },
      },
    },
    routes(context) {
      const routes = new Hono<ApiEnv>();
      routes.get('/openapi.json', (request) => request.json(documentOf(context)));
      routes.get('/docs', async (request) =>
        request.html(docsPage(documentOf(context), new URL(request.req.url).origin), 200, {
          'content-security-policy': await tryPolicy(),
        }),
      );
      return routes;
    },
  };
}

function plainOperation(summary: string, type: string, schema: OpenApiObject): OpenApiObject {
  const problem = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };
  return {
    summary,
    tags: ['Server'],
    responses: {
      200: { description: 'The answer.', content: { [type]: { schema } } },
      503: { description: 'Service Unavailable', content: problem },
    },
  };
}
