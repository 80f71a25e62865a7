import type { App, OpenApiObject } from '../index.ts';

/** A validator of JSON Schema 2020-12: `new Ajv2020({ strict: false })`. */
export interface SchemaValidator {
  compile(schema: OpenApiObject): {
    (value: unknown): unknown;
    readonly errors?: readonly object[] | null;
  };
  errorsText(errors?: readonly object[] | null): string;
}

/** Holds what an application answers against a document of OpenAPI 3.1. */
export interface ResponseCheck {
  /** The application, of which every answer in JSON has to be as the document says. */
  readonly app: App;
  /** Throws where a value is not what an operation answers with a status and a media type. */
  check(method: string, path: string, status: number, type: string, value: unknown): void;
}

const base = 'https://openapi.test/';

/**
 * Compares answers with a document, so that tests of an API are tests of its description.
 *
 * @throws Error from `request` of the application that is returned: no such path, status or media type, or another form.
 */
export function checkResponses(app: App, openapi: OpenApiObject, validator: SchemaValidator): ResponseCheck {
  // By the form of OpenAPI, which a test asks a validator about.
  const { paths, components } = openapi as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiObject>>>>;
    readonly components: OpenApiObject;
  };
  const patterns = Object.keys(paths)
    // `/v1/models/{name}` before `/v1/{rest}`: the more is spelt out, the earlier.
    .sort((a, b) => a.split('{').length - b.split('{').length || b.length - a.length)
    .map((path) => ({ path, pattern: new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`) }));
  const compiled = new Map<string, ReturnType<SchemaValidator['compile']>>();

  const check: ResponseCheck['check'] = (method, path, status, type, value) => {
    const found = patterns.find(({ pattern }) => pattern.test(path));
    const operation = found === undefined ? undefined : paths[found.path]?.[method.toLowerCase()];
    if (operation === undefined) {
      if (status === 404 || status === 405) return;
      throw new Error(`${method} ${path} is not described`);
    }
    const pointer = ['responses', String(status), 'content', type, 'schema'];
    const schema = pointer.reduce<unknown>(
      (node, key) => (node as OpenApiObject | undefined)?.[key],
      operation,
    ) as OpenApiObject | undefined;
    if (schema === undefined) throw new Error(`${method} ${path}: no ${type} with ${status} is described`);
    const name = JSON.stringify(schema);
    const validate = compiled.get(name) ?? validator.compile({ components, allOf: [schema] });
    compiled.set(name, validate);
    if (validate(value) !== true)
      throw new Error(`${method} ${path}, ${status}: ${validator.errorsText(validate.errors)}`);
  };
  return {
    check,
    app: {
      fetch: (request) => app.fetch(request),
      answerQuery: (exchange) => app.answerQuery(exchange),
      async request(input, init) {
        const response = await app.request(input, init);
        const type = response.headers.get('content-type') ?? '';
        const method = (input instanceof Request ? input.method : init?.method) ?? 'GET';
        if (/[/+]json$/.test(type) && method !== 'HEAD') {
          const { pathname } = new URL(input instanceof Request ? input.url : input, base);
          check(method, pathname, response.status, type, await response.clone().json());
        }
        return response;
      },
    },
  };
}
