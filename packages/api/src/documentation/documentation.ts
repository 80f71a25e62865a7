import type { Engine } from '@fuzzqe/engine';
import { Hono } from 'hono';
import type { ApiContext, ApiEnv, ApiPart } from '../part/api-part.ts';
import type { Declaration, OpenApiObject } from '../part/declaration.ts';
import { docsPage } from './docs-page.ts';
import { type OpenApiOptions, openApiDocument } from './openapi-document.ts';
import { tryPolicy } from './try-script.ts';

/** A document, and what it was made of: to make a document takes some milliseconds. */
interface KeptDocument {
  readonly of: readonly unknown[];
  readonly document: OpenApiObject;
  readonly text: string;
  /** The last page: its origin comes from a header, so there may be any number of pages. */
  page?: { readonly origin: string; readonly html: string };
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
  const documentOf = async (context: ApiContext): Promise<KeptDocument> => {
    const model = await context.models.acquire();
    try {
      const { engine, name, version } = model;
      const of = [context, name, version, engine.facts, engine.vocabulary];
      const known = documents.get(engine);
      if (known?.of.every((each, i) => each === of[i]) === true) return known;
      const document = openApiDocument(context, model, options);
      const made: KeptDocument = { of, document, text: JSON.stringify(document) };
      documents.set(engine, made);
      return made;
    } finally {
      model.release();
    }
  };
  const pageOf = async (kept: KeptDocument, origin: string): Promise<string> => {
    if (kept.page?.origin !== origin)
      kept.page = { origin, html: `${await docsPage(kept.document, origin)}` };
    return kept.page.html;
  };
  let policy: Promise<string> | undefined;
  return {
    path: '/',
    endpoints: { 'GET /docs': 'describes the API', 'GET /openapi.json': 'the same, for programs' },
    declare: () => ({
      routes: {
        'GET /openapi.json': described('This document', { 'application/json': { type: 'object' } }),
        'GET /docs': described('This document as a page', { 'text/html': { type: 'string' } }),
      },
    }),
    routes(context) {
      const routes = new Hono<ApiEnv>();
      routes.get('/openapi.json', async (request) =>
        request.body((await documentOf(context)).text, 200, { 'content-type': 'application/json' }),
      );
      routes.get('/docs', async (request) => {
        policy ??= tryPolicy();
        return request.html(await pageOf(await documentOf(context), new URL(request.req.url).origin), 200, {
          'content-security-policy': await policy,
        });
      });
      return routes;
    },
  };
}

const described = (summary: string, content: Readonly<Record<string, OpenApiObject>>): Declaration => ({
  ...{ tag: 'Server', summary, answers: { 200: { content } } },
});
