import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { pageIcon } from '@fuzzqe/core/text';
import { type Engine, openEngine } from '@fuzzqe/engine';
import { memoryBundle, referenceSessions } from '@fuzzqe/engine/testing';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Hono } from 'hono';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ApiEnv, type ApiPart, type App, createApp } from '../index.ts';
import { checkResponses } from '../testing/index.ts';
import { documentation } from './index.ts';

interface Example {
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly value: unknown;
}

interface Operation {
  readonly operationId?: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly example?: unknown }[];
  readonly requestBody?: { readonly content: Record<string, Content> };
}

interface Content {
  readonly schema: { readonly properties: Record<string, { readonly description?: string }> };
  readonly examples: Record<string, { readonly value: unknown }>;
}

interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: Record<string, unknown>;
}

const ajv = new Ajv2020({ strict: false });

describe('the description of the API', () => {
  let engine: Engine;
  let app: App;
  let document: Document & Readonly<Record<string, unknown>>;
  const routes: ApiPart = {
    path: '/',
    routes(context) {
      const all = new Hono<ApiEnv>();
      all.get('/routes', (request) => request.json(context.routes()));
      return all;
    },
  };
  beforeAll(async () => {
    const { source, config, parameters } = await memoryBundle();
    engine = await openEngine({ source, sessions: referenceSessions(config, parameters) });
    app = createApp(engine, { mount: [documentation(), routes] });
    document = await (await app.request('/openapi.json')).json();
  });
  it('is made once of a model, and again of other facts', async () => {
    let asked = 0;
    const vocabulary = new Proxy(engine.vocabulary, {
      get(of, name) {
        asked += 1;
        return Reflect.get(of, name);
      },
    });
    let facts = engine.facts;
    const watched: Engine = Object.defineProperty({ ...engine, vocabulary }, 'facts', { get: () => facts });
    const other = createApp(watched, { mount: [documentation()] });
    const read = async (): Promise<string> => (await other.request('/openapi.json')).text();
    const first = await read();
    expect(asked).toBeGreaterThan(0);
    const before = asked;
    expect(await read()).toBe(first);
    await other.request('/docs');
    expect(asked).toBe(before);
    facts = { ...facts };
    expect(await read()).toBe(first);
    expect(asked).toBeGreaterThan(before);
  });

  it('is a page for each origin that asks', async () => {
    const page = async (origin: string): Promise<string> => (await app.request(`${origin}/docs`)).text();
    const [first, other] = [await page('http://a.example'), await page('http://b.example')];
    expect(first).toContain('<span class="origin">http://a.example</span>/v1/query');
    expect(other).toBe(first.replaceAll('http://a.example', 'http://b.example'));
    expect(await page('http://a.example')).toBe(first);
  });

  const examples = (): Example[] =>
    Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, { parameters = [], requestBody }]): Example[] => {
        const address = parameters.reduce(
          (at, { name, example }) => at.replace(`{${name}}`, encodeURIComponent(String(example))),
          path,
        );
        const asked = parameters
          .filter((each) => each.in === 'query')
          .map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`);
        if (method === 'get')
          return [{ method: 'GET', path: `${address}?${asked.join('&')}`, type: '', value: undefined }];
        return Object.entries(requestBody!.content).flatMap(([type, content]) =>
          Object.values(content.examples).map(({ value }) => ({
            method: 'POST',
            path: address,
            type,
            value,
          })),
        );
      }),
    );

  it('is OpenAPI 3.1', async () => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone(document));
    expect(result.errors).toBeUndefined();
    expect([result.valid, validator.version]).toEqual([true, '3.1']);
    expect((await new Validator().validate({ ...document, paths: 3 })).valid).toBe(false);
  });

  it('has every route of the application, and no other', async () => {
    const served: { method: string; path: string }[] = await (await app.request('/routes')).json();
    const inDocument = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const names = served.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
    expect(inDocument.sort()).toEqual(names.filter((each) => each !== 'GET /routes').sort());
    expect(inDocument).toContain('POST /v1/models/{name}/query/batch');
  });

  it('names every operation once and describes every field of a request', () => {
    const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
    const ids = operations.flatMap(({ operationId }) => operationId ?? []);
    expect(new Set(ids).size).toBe(ids.length);
    const fields = operations
      .flatMap(({ requestBody }) => Object.values(requestBody?.content ?? {}))
      .flatMap(({ schema }) => Object.entries(schema.properties));
    expect(fields.length).toBeGreaterThan(10);
    expect(fields.filter(([, { description = '' }]) => description === '')).toEqual([]);
  });

  it('has examples that fit their schemas and that the application answers as described', async () => {
    const { check, app: checked } = checkResponses(app, document, ajv);
    const all = examples();
    expect(all.length).toBeGreaterThan(20);
    for (const { method, path, type, value } of all) {
      if (method === 'GET') {
        expect([path, (await checked.request(path)).status]).toEqual([path, 200]);
        continue;
      }
      const { schema } =
        document.paths[path.replace('/models/memory', '/models/{name}')]!['post']!.requestBody!.content[
          type
        ]!;
      const fits = ajv.compile({ ...schema, components: document.components });
      expect([fits(value), fits({ query: 'e1', k: '3' })]).toEqual([true, false]);
      const init = { method, headers: { 'content-type': type }, body: JSON.stringify(value) };
      const response = await checked.request(path, init);
      const text = await response.text();
      expect([path, value, response.status, response.status === 200 ? '' : text]).toEqual([
        path,
        value,
        200,
        '',
      ]);
      if (path.endsWith('/batch')) {
        expect(JSON.parse(text)).toHaveProperty('answer');
        check('POST', path, 200, 'application/x-ndjson', JSON.parse(text));
      }
    }
  });

  it('is noticed by tests where an answer is not as described', () => {
    const { check } = checkResponses(app, document, ajv);
    const health = { name: 'a', runtime: 'b', profile: 'c', ready: true };
    check('GET', '/healthz', 200, 'application/json', health);
    expect(() => check('GET', '/healthz', 200, 'application/json', { ...health, ready: 'yes' })).toThrow(
      '/ready',
    );
    expect(() => check('GET', '/healthz', 200, 'application/json', { ...health, more: 1 })).toThrow(
      'additional',
    );
    expect(() => check('GET', '/healthz', 418, 'application/json', health)).toThrow('418');
    expect(() => check('GET', '/nowhere', 200, 'application/json', health)).toThrow('not described');
  });

  it('is a page, too, that loads nothing from elsewhere, and runs the script that its policy names', async () => {
    const response = await app.request('http://host.example:81/docs');
    expect(response.headers.get('content-type')).toMatch(/^text\/html/);
    const page = await response.text();
    for (const path of Object.keys(document.paths).filter((each) => !each.includes('/{name}/')))
      expect(page).toContain(`<code>${path.length > 1 ? path : 'GET /'}`.slice(6));
    expect(page).toContain('<span class="origin">http://host.example:81</span>/v1/query');
    const [, script] = /<script>(.*?)<\/script>/s.exec(page)!;
    const hash = createHash('sha256').update(script!).digest('base64');
    expect(response.headers.get('content-security-policy')).toContain(`script-src 'sha256-${hash}';`);
    expect(page).toContain('data-method="POST" data-path="v1/query" data-type="application/json"');
    // The icon is within the page.
    expect(page.replace('<script>', '').replace(pageIcon, '')).not.toMatch(
      /<script|<link|<img|<iframe|@import|url\(|\son\w+=|(?:src|href)="(?!#|openapi\.json")/,
    );
    expect(page).not.toContain('undefined');
  });

  it('has addresses below the folder where it lies, whatever application is around it', async () => {
    const outer = new Hono().mount('/graph', (request) => app.fetch(request));
    const { servers } = await (await outer.request('http://host.example/graph/openapi.json')).json();
    const [{ url }] = servers;
    const base = new URL(url, 'http://host.example/graph/openapi.json').href.replace(/\/$/, '');
    expect((await outer.request(`${base}/v1/models`)).status).toBe(200);
    const page = await (await outer.request('http://host.example/graph/docs')).text();
    const shown = { className: 'origin', textContent: 'http://host.example' };
    const [, script] = /<script>(.*?)<\/script>/s.exec(page)!;
    runInNewContext(script!, {
      URL,
      location: { href: "http://host.example/o'graph/docs#x" },
      document: { querySelectorAll: (of: string) => (of === '.origin' ? [shown] : []) },
    });
    expect(shown.textContent).toBe('http://host.example/o%27graph');
    // Negative control: the host alone has no such path.
    expect((await outer.request('http://host.example/v1/models')).status).toBe(404);
  });

  it('shows lines that a shell reads as they are meant, with apostrophes', async () => {
    const sent = 'it\'s {"a":"\'"}';
    const part: ApiPart = {
      path: '/',
      routes: () => new Hono<ApiEnv>(),
      declare: () => ({
        routes: {
          'GET /search': {
            ...{ tag: 'x', summary: 'x', answers: {} },
            query: { properties: { q: { example: "O'Brien" } } },
          },
          'POST /search': {
            ...{ tag: 'x', summary: 'y', answers: {} },
            body: { 'text/plain': {} },
            examples: { one: { summary: 'z', value: sent } },
          },
        },
      }),
    };
    const other = createApp(engine, { mount: [documentation(), part] });
    const page = await (await other.request('http://host.example/docs')).text();
    const lines = [...page.matchAll(/<pre>(curl .*?)<\/pre>/gs)].map(([, line]) =>
      line!
        .replace(/<[^>]*>/g, '')
        .replaceAll('&#39;', "'")
        .replaceAll('&quot;', '"')
        .replaceAll('&amp;', '&'),
    );
    const read = (line: string): string[] =>
      execFileSync('sh', ['-c', `set -- ${line}; printf '%s\\0' "$@"`], { encoding: 'utf8' }).split('\0');
    const searched = lines.filter((line) => line.includes('/search')).map(read);
    expect(searched[0]).toContain("http://host.example/search?q=O'Brien");
    expect(searched[1]!.slice(0, -1).at(-1)).toBe(sent);
  });

  it('describes paths below a model that are nowhere else, and each of the others once', async () => {
    const part: ApiPart = {
      path: '/',
      routes: () => new Hono<ApiEnv>(),
      declare: () => ({
        routes: { 'POST /v9/models/:name/infer': { tag: 'x', summary: 'Infers', answers: {} } },
      }),
    };
    const page = await (await createApp(engine, { mount: [documentation(), part] }).request('/docs')).text();
    expect(page).toContain('id="post/v9/models/{name}/infer"');
    expect(page).toContain('id="post/v1/query"');
    expect(page).not.toContain('id="post/v1/models/{name}/query"');
  });

  it('says that keys are needed where they are', async () => {
    const guarded = createApp(engine, { mount: [documentation({ bearer: true })] });
    const { security, components } = await (await guarded.request('/openapi.json')).json();
    expect(security).toEqual([{ bearer: [] }]);
    expect(components.securitySchemes).toEqual({ bearer: { type: 'http', scheme: 'bearer' } });
    expect(document).not.toHaveProperty('security');
  });

  it('has with every operation what its server may answer before, and says which ask for no key', async () => {
    const own = { meaning: 'Of a protocol.', content: { 'application/json': {} } };
    const plain = { tag: 'x', summary: 'x', answers: {} };
    const part: ApiPart = {
      path: '/',
      isOpen: (path) => path.startsWith('/page/'),
      routes: () => new Hono<ApiEnv>(),
      declare: () => ({
        routes: {
          'GET /page/:file': plain,
          'POST /protocol': { ...plain, answers: { 429: own } },
          'GET /probe': { ...plain, isProbe: true },
        },
      }),
    };
    const described = async (bearer: boolean): Promise<Record<string, [string[], unknown]>> => {
      const app = createApp(engine, { mount: [documentation({ bearer }), part] });
      const { paths, components } = await (await app.request('/openapi.json')).json();
      expect(paths['/protocol'].post.responses[429].content).toEqual({
        'application/json': { schema: {} },
        ...components.responses.Unread429.content,
      });
      return Object.fromEntries(
        Object.entries<Record<string, { responses: object; security?: unknown }>>(paths).map(
          ([path, item]) => {
            const { responses, security } = item['post'] ?? item['get']!;
            return [
              path,
              [Object.keys(responses).filter((status) => /40[138]|429|431/.test(status)), security],
            ];
          },
        ),
      );
    };
    const open = ['403', '408', '429', '431'];
    const { '/probe': probe, ...others } = await described(false);
    expect(probe).toEqual([['408', '431'], []]);
    for (const [path, told] of Object.entries(others))
      expect([path, ...told]).toEqual([path, open, undefined]);
    const guarded = await described(true);
    expect(guarded['/probe']).toEqual([['408', '431'], []]);
    for (const path of ['/page/{file}', '/healthz']) expect(guarded[path]).toEqual([open, []]);
    for (const path of ['/', '/v1/query', '/v1/models/{name}/entities', '/protocol', '/docs'])
      expect([path, ...guarded[path]!]).toEqual([path, ['401', ...open], undefined]);
  });

  it('leads on below whatever path its server stands, as the root does', async () => {
    const whole = createApp(engine, { mount: [documentation()] });
    const docs = await (await whole.request('/docs')).text();
    expect(docs).toContain('<a href="openapi.json">');
    // Screen readers go to it.
    expect(docs).toMatch(/<main>.*<h1>.*<\/main>/s);
    const root = await (await whole.request('/', { headers: { accept: 'text/html' } })).text();
    expect(root).toContain('<a href="docs">');
    for (const page of [docs, root]) expect(page).not.toContain('href="/');
  });

  it('is not there where it is not mounted', async () => {
    const plain = createApp(engine);
    expect((await plain.request('/docs')).status).toBe(404);
    expect((await plain.request('/openapi.json')).status).toBe(404);
  });
});
