import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type BundleSource, edgeMemory, profileOf, readGolden } from '@fuzzqe/bundle';
import { asEntityId, asRelationId, createRandom } from '@fuzzqe/core';
import { and, entity, project } from '@fuzzqe/core/query';
import { type BundleEngine, openEngine } from '@fuzzqe/engine';
import type { FamilyName } from '@fuzzqe/model';
import { randomTree } from '@fuzzqe/parity';
import { compareGolden, failedPlans, type TinyBundle, tinyBlocks, tinyBundle } from '@fuzzqe/parity/testing';
import { folderSource, nodeSessions } from '@fuzzqe/serve';
import * as ort from 'onnxruntime-web';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEdgeApp, webSessions } from './index.ts';

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

/** The same model for servers and for Workers. */
async function bothBundles(
  form: FamilyName = 'bases',
): Promise<{ readonly node: string; readonly workers: string }> {
  const [node, workers] = await Promise.all(
    (['node', 'workers'] as const).map((target) =>
      form === 'blocks' ? tinyBlocks(['int8'], target) : tinyBundle('tiny', ['int8-basis'], target),
    ) as [Promise<TinyBundle>, Promise<TinyBundle>], // one for each
  );
  folders.push(node.directory, workers.directory);
  return { node: node.directory, workers: workers.directory };
}

describe.each([
  ['bases', 'int8-basis'],
  ['blocks', 'int8'],
] as const)('a bundle for Workers with %s', (form, profile) => {
  let directories: Awaited<ReturnType<typeof bothBundles>>;
  let source: BundleSource & { readonly read: (path: string) => Promise<Uint8Array> };
  let engine: BundleEngine;
  const opened: string[] = [];
  beforeAll(async () => {
    directories = await bothBundles(form);
    const folder = folderSource(directories.workers);
    source = { location: folder.location, read: (path) => folder.read(path) };
    const sessions = webSessions({ ort });
    engine = await openEngine({
      source,
      sessions: {
        runtime: sessions.runtime,
        open(graph, files) {
          opened.push(graph.path);
          return sessions.open(graph, files);
        },
      },
    });
  });
  afterAll(() => engine?.close());

  it('has one graph, and nothing that a Worker does not read', async () => {
    const files = await readdir(directories.workers, { recursive: true, withFileTypes: true });
    expect(
      files
        .filter((file) => file.isFile())
        .map(({ name }) => name)
        .sort(),
    ).toEqual([
      'README.md',
      'edge.onnx',
      'entities.tsv',
      'evidence.json',
      'facts.bin',
      'golden.json',
      'manifest.json',
      'relations.tsv',
      'rules.tsv',
      'weights.bin',
    ]);
    const golden = JSON.parse(
      await readFile(join(directories.workers, `models/${profile}/golden.json`), 'utf8'),
    );
    expect(golden.cases).toHaveLength(14);
  });

  it('answers every structure in both modes as its golden cases say, in one session, by operators whatever is asked for', async () => {
    const golden = await readGolden(source, engine.manifest, engine.profile);
    const cell = await compareGolden(engine, golden);
    expect(cell.modes.embedding.compared).toBe(14);
    const pair = and(project(asRelationId(0), entity(asEntityId(1))), entity(asEntityId(2)));
    const { plan } = await engine.answer(pair, { mode: 'embedding', plan: 'structure' });
    expect(plan.kind).toBe('operators');
    expect(failedPlans(cell)).toEqual([]);
    expect(opened).toEqual([`models/${profile}/edge.onnx`]);
  });

  it('answers random trees as onnxruntime-node does with a graph for each operator', async () => {
    const random = createRandom('trees');
    const trees = Array.from({ length: 40 }, (_, i) =>
      randomTree(engine.manifest.model, 1 + (i % 4), random),
    );
    const node = await openEngine({
      source: folderSource(directories.node),
      sessions: nodeSessions(directories.node, { threads: 1 }),
    });
    try {
      const [expected, got] = [await node.rank(trees, { k: 40 }), await engine.rank(trees, { k: 40 })];
      const [wantedSets, sets] = [await node.degrees(trees), await engine.degrees(trees)];
      for (const [i] of trees.entries()) {
        const { embedding } = expected[i]!;
        expect(difference(got[i]!.embedding, embedding)).toBeLessThan(1e-4);
        expect(difference(sets[i]!, wantedSets[i]!)).toBeLessThan(1e-4);
      }
      // What is compared differs from tree to tree.
      expect(difference(got[0]!.embedding, got[1]!.embedding)).toBeGreaterThan(1e-2);
    } finally {
      await node.close();
    }
  });
});

it.each([
  [
    'no available backend found. ERR: [wasm] RangeError: WebAssembly.Memory(): could not allocate memory',
    500,
    1,
  ],
  ["Can't create a session. failed to allocate a buffer of size 4096.", 503, 2],
])(
  'two requests that hear of the runtime: %s, have %d and read the bundle %d times',
  async (said, status, times) => {
    const files = folderSource((await bothBundles()).workers);
    const read: string[] = [];
    const refusing = { ...ort, InferenceSession: { create: () => Promise.reject(new Error(said)) } };
    const app = createEdgeApp({
      source: {
        ...files,
        read(...given) {
          read.push(given[0]);
          return files.read(...given);
        },
      },
      ort: refusing as unknown as typeof ort,
      api: { onError: () => undefined },
    });
    for (let i = 0; i < 2; i += 1) {
      const response = await app.fetch(new Request('http://worker/v1/relations'));
      expect([response.status, response.headers.has('retry-after')]).toEqual([status, status === 503]);
    }
    expect(read.filter((path) => path === 'manifest.json')).toHaveLength(times);
  },
);

describe('a bundle for Workers whose facts do not fit', () => {
  it('answers by the embedding whatever the mode, and says why', async () => {
    const { workers } = await bothBundles();
    const { manifest } = await openEngine({ source: folderSource(workers), sessions: webSessions({ ort }) });
    const profile = profileOf(manifest, 'int8-basis');
    const { total } = edgeMemory(manifest, profile);
    const longer = { ...manifest.files, 'rules.tsv': { bytes: 1e6, sha256: '' } };
    expect(edgeMemory({ ...manifest, files: longer }, profile).total).toBeGreaterThan(total + 1e6);
    const fitting = await tinyBundle('tiny', ['int8-basis'], 'workers', { memory: total });
    const small = await tinyBundle('tiny', ['int8-basis'], 'workers', { memory: total - 1 });
    folders.push(fitting.directory, small.directory);
    expect(await readdir(fitting.directory)).toContain('facts.bin');
    expect(await readdir(small.directory)).not.toContain('facts.bin');
    expect(JSON.parse(await readFile(join(small.directory, 'manifest.json'), 'utf8')).modes).toEqual([
      'embedding',
    ]);

    const app = createEdgeApp({ source: folderSource(small.directory), ort });
    const ask = async (path: string, body?: object): Promise<{ status: number; body: unknown }> => {
      const init = { method: 'POST', headers: { 'content-type': 'application/json' } };
      const request = new Request(
        `http://worker${path}`,
        body === undefined ? {} : { ...init, body: JSON.stringify(body) },
      );
      const response = await app.fetch(request);
      return { status: response.status, body: await response.json() };
    };
    const query = 'and(project(r0, e1), not(project(r1, e2)))';
    const [byDefault, bySets, byEmbedding] = await Promise.all(
      [{}, { mode: 'sets' }, { mode: 'embedding' }].map((more) => ask('/v1/query', { query, k: 3, ...more })),
    );
    expect(byDefault).toMatchObject({
      status: 200,
      body: { mode: 'embedding', warnings: [expect.stringMatching(/^embedding-only: .*without its facts/)] },
    });
    expect(bySets).toEqual(byDefault);
    expect(byEmbedding).toEqual(byDefault);
    const negation = await ask('/v1/query', { query: 'not(project(r0, e1))', k: 3 });
    expect(negation).toMatchObject({ body: { answers: new Array(3).fill({ known: false }) } });
    expect(await ask('/readyz')).toMatchObject({ status: 200, body: { ready: true } });
    expect(await ask('/v1/models')).toMatchObject({ body: { models: [{ modes: ['embedding'] }] } });
    for (const more of [{ minDegree: 0.5 }, { exclude: 'known' }, { filter: { query: 'e1' } }])
      expect(await ask('/v1/query', { query, ...more })).toMatchObject({ status: 400 });
    expect(await ask('/v1/entities/1')).toMatchObject({ status: 400 });
  });
});

/** max |a − b|. */
function difference(a: Float32Array, b: Float32Array): number {
  return a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i]!)), 0);
}
