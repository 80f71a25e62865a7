/** A path that is served, and how it is asked. */
export interface HttpEndpoint {
  readonly method: 'GET' | 'POST';
  readonly path: string;
}

const get = (path: string): HttpEndpoint => ({ method: 'GET', path });
const post = (path: string): HttpEndpoint => ({ method: 'POST', path });

/**
 * What is served of the bundle `tiny`, with names in the places of parameters: a path at least for each route of the document of
 * OpenAPI, which a test asks for.
 */
export const httpEndpoints: readonly HttpEndpoint[] = [
  ...['/', '/docs', '/openapi.json', '/healthz', '/livez', '/readyz', '/metrics'].map(get),
  ...['', '/models/tiny'].flatMap((model) => [
    ...['/query', '/query/relations', '/query/batch', '/patterns', '/ask', '/sparql'].map((path) =>
      post(`/v1${model}${path}`),
    ),
    ...['/entities', '/entities/e1', '/relations', '/structures', '/ask'].map((path) =>
      get(`/v1${model}${path}`),
    ),
  ]),
  ...['/v1/models', '/v1/models/tiny', '/v1/models/tiny/sparql', '/sparql'].map(get),
  post('/sparql'),
  ...['/v2', '/v2/health/live', '/v2/health/ready'].map(get),
  ...['fuzzqe', 'tiny-2in', 'tiny-2in/versions/1'].flatMap((model) => [
    ...['', '/ready'].map((path) => get(`/v2/models/${model}${path}`)),
    post(`/v2/models/${model}/infer`),
  ]),
  ...['/mcp', '/mcp/tiny'].map(post),
  ...['', '/', '/index.html', '/playground.json', '/assets/index-00000000.js'].map((path) =>
    get(`/playground${path}`),
  ),
  ...['manifest.json', 'facts.bin', 'vocabulary/entities.tsv', 'README.md'].map((path) =>
    get(`/playground/bundles/tiny/${path}`),
  ),
];
