import type { Engine } from '@fuzzqe/engine';
import { Hono } from 'hono';
import type { ApiContext, ApiEnv, ApiPart, OpenApiObject } from '../part/api-part.ts';
import { docsPage } from './docs-page.ts';
import { type OpenApiOptions, openApiDocument } from './openapi-document.ts';
import { tryPolicy } from './try-script.ts';

/** A document, and what it was made of: to make a document takes some milliseconds. */
interface KeptDocument {
  readonly of: readonly unknown[];
  readonly document: OpenApiObject;
}

/**
 * The part of an application that describes it: `GET /openapi.json`, OpenAPI 3.1 from the schemas that read requests, and
 * `GET /docs`, the same as a page that loads nothing from elsewhere and sends its examples. Examples are over the graph of the default model.
 *
 * @example
 * const app = createApp(models, { mount: [documentation()] });
 */
export function documentation(options: OpenApiOptions = {}): ApiPart {
  // Not longer than an engine: a version that was replaced is closed.
  const documents = new WeakMap<Engine, KeptDocument>();
  const documentOf = (context: ApiContext): OpenApiObject => {
    const model = context.models.acquire();
    try {
      const { engine, name, version } = model;
      const of = [context, name, version, engine.facts, engine.vocabulary];
      const known = documents.get(engine);
      if (known?.of.every((each, i) => each === of[i]) === true) return known.document;
      const document = openApiDocument(context, model, options);
      documents.set(engine, { of, document });
      return document;
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
