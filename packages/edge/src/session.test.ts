import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom } from '@fuzzqe/core';
import type { BundleSource } from '@fuzzqe/core/bundle';
import { logicNames } from '@fuzzqe/core/logic';
import { parseQueryText, structureNames } from '@fuzzqe/core/query';
import { openEngine } from '@fuzzqe/engine';
import { describeSession, memoryBundle } from '@fuzzqe/engine/testing';
import { defaultSets, exportBundle, randomGoldenQueries } from '@fuzzqe/export';
import { compareGolden, failedPlans } from '@fuzzqe/parity/testing';
import * as ort from 'onnxruntime-web';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEdgeApp, fetchSource, webSessions } from './index.ts';

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

/** A bundle behind fetch, and what was fetched. */
async function tinyBundle(
  options: Parameters<typeof memoryBundle>[0] = {},
  change = (_path: string, bytes: Uint8Array): Uint8Array => bytes,
): Promise<BundleSource & { fetched: string[] }> {
  const directory = await mkdtemp(join(tmpdir(), 'fuzzqe-edge-'));
  folders.push(directory);
  const { config, parameters, vocabulary, facts } = await memoryBundle(options);
  await exportBundle({
    directory,
    name: 'tiny',
    config,
    parameters,
    vocabulary,
    graph: facts,
    data: { name: 'random', licence: 'Apache-2.0' },
    training: {},
    metrics: {},
    sets: await defaultSets(config, parameters, facts),
    goldenQueries: randomGoldenQueries(config, 3, createRandom('golden')),
    k: 10,
  });
  const fetched: string[] = [];
  const source = fetchSource('https://bundle.test', async (url) => {
    const path = new URL(url).pathname.slice(1);
    fetched.push(path);
    const bytes = await readFile(join(directory, path)).catch(() => undefined);
    if (bytes === undefined) return new Response('', { status: 404 });
    return new Response(Uint8Array.from(change(path, bytes)));
  });
  return { ...source, fetched };
}

describe.each(logicNames)('a bundle in %s logic on', (logic) => {
  let source: BundleSource;
  beforeAll(async () => {
    source = await tinyBundle({ logic });
  });
  describeSession({ describe, it }, 'onnxruntime-web wasm in Node', async () => ({
    source,
    sessions: webSessions({ ort }),
  }));
});

describe('webSessions', () => {
  it.each([true, false])('fetches no file twice, verified or not: %s', async (verify) => {
    const source = await tinyBundle();
    const engine = await openEngine({ source, sessions: webSessions({ ort }), verify });
    await engine.warmUp();
    expect(source.fetched).toContain('models/fp32/weights.bin');
    expect(source.fetched.toSorted()).toEqual([...new Set(source.fetched)].sort());
    await engine.close();
  });

  it.each(['models/fp32/2i.onnx', 'models/fp32/weights.bin'])(
    'runs no graph of a damaged %s, and one that is whole again',
    async (damaged) => {
      let broken = true;
      const source = await tinyBundle({}, (path, bytes) =>
        broken && path === damaged ? bytes.with(bytes.length - 1, bytes.at(-1)! ^ 1) : bytes,
      );
      const engine = await openEngine({ source, sessions: webSessions({ ort }) });
      const query = parseQueryText('and(project(r0, e1), project(r1, e2))', engine.vocabulary);
      await expect(engine.answer(query)).rejects.toMatchObject({
        code: 'bundle',
        message: expect.stringContaining(`${damaged}: altered: expected sha256`),
      });
      broken = false;
      expect((await engine.answer(query)).answers).toHaveLength(10);
      await engine.close();
    },
  );

  it('lets parity fail, with the structures named, where a graph is another', async () => {
    const source = await tinyBundle();
    const sessions = webSessions({ ort });
    const swapped = {
      runtime: sessions.runtime,
      open: (...[graph, files]: Parameters<typeof sessions.open>) =>
        sessions.open({ ...graph, path: graph.path.replace('disjunction', 'conjunction') }, files),
    };
    const engine = await openEngine({ source, sessions: swapped });
    const golden = JSON.parse(new TextDecoder().decode(await source.read('golden.json')));
    const cell = await compareGolden(engine, golden);
    expect(cell.compared).toBe(4 * 3 * structureNames.length);
    expect(failedPlans(cell)).toEqual(['2u by operators', 'up by operators']);
    await engine.close();
  });

  it('refuses threads that are no number of threads', () => {
    expect(() => webSessions({ ort, threads: 1.5 })).toThrow(/threads/);
  });
});

describe('createEdgeApp', () => {
  const ask = () =>
    new Request('https://edge.test/v1/query', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: 'and(project(r0, e1), not(project(r1, e2)))', k: 5 }),
    });

  it('opens the bundle at the first request, once for all that come at the same time', async () => {
    const source = await tinyBundle();
    const app = createEdgeApp({ source, ort });
    expect(source.fetched).toEqual([]);
    const responses = await Promise.all(Array.from({ length: 6 }, () => app.fetch(ask())));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(new Set(await Promise.all(responses.map((response) => response.text()))).size).toBe(1);
    expect(source.fetched.filter((path) => path === 'manifest.json')).toHaveLength(1);
    const { plan } = await (await app.fetch(ask())).json();
    expect(plan).toMatchObject({ kind: 'edge', structure: '2in' });
    expect(source.fetched.filter((path) => path.endsWith('.onnx'))).toEqual(
      expect.arrayContaining(['models/fp32/edge.onnx']),
    );
  });

  it('opens one graph for every structure, and operators once another tree comes', async () => {
    const source = await tinyBundle();
    const app = createEdgeApp({ source, ort, verify: false });
    const graphs = (): string[] => source.fetched.filter((path) => path.endsWith('.onnx'));
    const query = async (text: string): Promise<number> =>
      (
        await app.fetch(
          new Request('https://edge.test/v1/query', {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ query: text, k: 3 }),
          }),
        )
      ).status;
    for (const text of [
      'project(r0, e1)',
      'project(r1, project(r0, e1))',
      'or(project(r0, e1), project(r1, e2))',
    ])
      expect(await query(text)).toBe(200);
    expect(graphs()).toEqual(['models/fp32/edge.onnx']);
    expect(await query('not(project(r0, e1))')).toBe(200);
    expect(graphs().slice(1).sort()).toEqual(
      ['anchor', 'negation', 'project', 'score'].map((name) => `models/fp32/${name}.onnx`),
    );
  });

  it('answers 503 while the bundle cannot be opened, and tries again', async () => {
    let broken = true;
    const source = await tinyBundle({}, (path, bytes) =>
      broken && path === 'facts.bin' ? bytes.subarray(0, 12) : bytes,
    );
    const heard: unknown[] = [];
    const app = createEdgeApp({ source, ort, api: { onError: (error) => heard.push(error) } });
    const refused = await app.fetch(ask());
    expect(refused.status).toBe(503);
    expect(refused.headers.get('content-type')).toBe('application/problem+json');
    expect(await refused.json()).toMatchObject({ code: 'runtime', status: 503 });
    expect(heard).toEqual([
      expect.objectContaining({ code: 'bundle', message: expect.stringContaining('facts.bin') }),
    ]);
    broken = false;
    expect((await app.fetch(ask())).status).toBe(200);
  });
});
