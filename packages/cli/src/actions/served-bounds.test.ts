import { type App, createApp, type OpenApiObject } from '@fuzzqe/api';
import { type BoundProbe, boundProbes, refusalOf } from '@fuzzqe/api/testing';
import { changeable, createEngine, createLocalRanker, openBundle } from '@fuzzqe/engine';
import { memoryBundle, referenceSessions } from '@fuzzqe/engine/testing';
import { createMemoryFacts } from '@fuzzqe/facts';
import { createLiveFacts, entitiesPart, factsPart, judgementsPart, updatableFacts } from '@fuzzqe/serve';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, expect, it } from 'vitest';
import { servedParts } from './served-parts.ts';

const { source, config, parameters } = await memoryBundle();
const bundle = changeable(await openBundle(source));
const engine = createEngine(
  bundle,
  createLocalRanker(bundle, { sessions: referenceSessions(config, parameters) }),
);
const live = createLiveFacts(createMemoryFacts());
await live.follow(engine);
const facts = { facts: updatableFacts(live), refusalOf: () => undefined };
const app = createApp(engine, {
  mount: [
    ...(await servedParts({ mcp: true })),
    ...[factsPart, entitiesPart, judgementsPart].map((part) => part(facts)),
  ],
});
// With a first epoch, nobody waits for the next.
await app.request('/v1/entities', {
  method: 'PATCH',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ entity: '#0', aliases: ['First'] }),
});
const openapi: OpenApiObject = await (await app.request('/openapi.json')).json();
afterAll(() => Promise.all([live.close(), engine.close()]));

/** Where the application says other than the document of requests whose routes have these letters in them. */
async function differences(document: OpenApiObject, of: App, letters = ''): Promise<readonly string[]> {
  const found: string[] = [];
  const probes = boundProbes(document, new Ajv2020({ strict: false }));
  // Other names last: examples have the names of the graph.
  const byName = (probe: BoundProbe): number => Number(probe.init.method === 'PATCH');
  for (const { route, what, fits, address, init } of [...probes].sort((a, b) => byName(a) - byName(b))) {
    // Epochs end where the store ends.
    if (!route.includes(letters) || /^since=[1-9]/.test(what)) continue;
    const refusal = await refusalOf(await of.request(address, init));
    if (refusal === 'fault' || (fits ? refusal === 'form' : refusal === undefined))
      found.push(`${route} ${what}: ${fits ? 'fits and is refused' : 'is out'}, ${refusal ?? 'taken'}`);
  }
  return found;
}

it('takes each value that its document allows, and refuses each that its document forbids', async () => {
  const probes = boundProbes(openapi, new Ajv2020({ strict: false }));
  expect(probes.filter(({ fits }) => fits).length).toBeGreaterThan(200);
  expect(probes.filter(({ fits }) => !fits).length).toBeGreaterThan(400);
  const routes = new Set(probes.map(({ route }) => route));
  expect(routes).toContain('POST /v1/facts');
  expect(routes).toContain('GET /v1/entities');
  expect(await differences(openapi, app)).toEqual([]);
});

it('is noticed where a document states a bound that is not held, or leaves one out', async () => {
  const changed = (from: string, to: string): OpenApiObject =>
    JSON.parse(JSON.stringify(openapi).replaceAll(from, to));
  expect(await differences(changed('"maximum":1000', '"maximum":900'), app, '/v1/entities')).toContain(
    'GET /v1/entities limit=901: is out, taken',
  );
  expect(await differences(changed('"minimum":1,', ''), app, 'GET /v1/entities')).toContain(
    'GET /v1/entities limit=0: fits and is refused, form',
  );
});
