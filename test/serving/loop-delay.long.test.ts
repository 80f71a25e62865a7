import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { WorstRequest } from '../../bench/serve/worst-requests.mjs';
import { createWorkCounter } from './count-work.ts';

// What a turn may do: some milliseconds of it. What goes through all names at once takes more.
const mostBlocks = 1_000_000;

const counter = createWorkCounter();
// Only what is loaded from here on is counted.
const { largeEngine } = await import('./large-engine.ts');
const { createApp } = await import('@fuzzqe/api');
const { documentation } = await import('@fuzzqe/api/documentation');
const { mcpPart } = await import('@fuzzqe/mcp');
const { createVocabulary } = await import('@fuzzqe/names');
const { inferenceProtocolPart } = await import('@fuzzqe/serve');
const { sparqlPart } = await import('@fuzzqe/sparql');
const { parseSyntax } = await import('@fuzzqe/sparql/syntax');
const { worstRequests } = await import('../../bench/serve/worst-requests.mjs');

type Response = Awaited<ReturnType<ReturnType<typeof createApp>['request']>>;

const engine = await largeEngine(60_000);
const app = createApp(engine, {
  mount: [
    documentation(),
    // A server reads the grammar on a thread of its own.
    sparqlPart({ parse: async (text) => parseSyntax(text) }),
    inferenceProtocolPart(),
    mcpPart({ hosts: '*' }),
  ],
});
const requests = worstRequests(engine);

afterAll(() => counter.close());

/** Sends a request and reads the whole answer. */
async function send({ method, path, type, body }: WorstRequest): Promise<readonly [Response, string]> {
  const response = await app.request(`http://localhost${path}`, {
    method,
    headers: {
      accept: path.startsWith('/mcp') ? 'application/json, text/event-stream' : '*/*',
      ...(type === undefined ? {} : { 'content-type': type }),
    },
    ...(body === undefined ? {} : { body }),
  });
  return [response, await response.text()];
}

describe('the worst request that is taken, among 60 000 entities', () => {
  // A clock that moves with what is asked of it: the machine may be busy with other things.
  let now = 0;
  beforeAll(() => {
    vi.spyOn(performance, 'now').mockImplementation(() => {
      now += 0.1;
      return now;
    });
  });
  afterAll(() => {
    vi.restoreAllMocks();
  });

  it.each(requests.map((request) => [request.name, request] as const))(
    'leaves the event loop to others: %s',
    async (name, request) => {
      let status = 0;
      let text = '';
      const work = await counter.during(async () => {
        const [response, body] = await send(request);
        status = response.status;
        text = body;
      });
      if (!/unknown|a long name|operators/.test(name)) expect(status, text.slice(0, 500)).toBe(200);
      else expect(status).toBeLessThan(500);
      expect(work.most, `${name}: ${JSON.stringify(work)}`).toBeLessThan(mostBlocks);
    },
  );

  it('is sent to every endpoint', async () => {
    const { paths } = (await (await app.request('/openapi.json')).json()) as {
      paths: Record<string, object>;
    };
    const asked = requests.map(({ method, path }) => `${method.toLowerCase()} ${path.split('?')[0]}`);
    const missing = Object.entries(paths)
      .filter(([path]) => !/\{(?:name|model)\}/.test(path))
      .flatMap(([path, item]) =>
        Object.keys(item)
          .filter((method) => method === 'get' || method === 'post')
          .map((method) => `${method} ${path}`),
      )
      .filter((each) => {
        const pattern = new RegExp(`^${each.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
        return !asked.some((one) => pattern.test(one));
      });
    expect(missing).toEqual([]);
  });

  it('is told from one that keeps it to itself', async () => {
    const work = await counter.during(async () => {
      const { entity } = engine.vocabulary;
      const entities = Array.from({ length: 60_000 }, (_, id) => entity(id));
      createVocabulary({ entities, relations: [] }).searchEntities('alhpa rivre');
    });
    expect(work.most).toBeGreaterThan(2 * mostBlocks);
  });
});
