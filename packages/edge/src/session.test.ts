import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BundleSource, type GraphEntry, readGolden } from '@fuzzqe/bundle';
import { FuzzError } from '@fuzzqe/core';
import { logicNames } from '@fuzzqe/core/logic';
import { parseQueryText, structureNames } from '@fuzzqe/core/query';
import { type AnswerMode, javascriptSessions, openEngine } from '@fuzzqe/engine';
import { describeSession, memoryBundle } from '@fuzzqe/engine/testing';
import { collectGarbage, compareGolden, exportMemoryBundle, failedPlans } from '@fuzzqe/parity/testing';
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
  await exportMemoryBundle(directory, await memoryBundle(options));
  const fetched: string[] = [];
  const source = fetchSource('https://bundle.test', {
    fetch: async (url) => {
      const path = new URL(url).pathname.slice(1);
      fetched.push(path);
      const bytes = await readFile(join(directory, path)).catch(() => undefined);
      if (bytes === undefined) return new Response('', { status: 404 });
      return new Response(Uint8Array.from(change(path, bytes)));
    },
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
  describeSession({ describe, it }, 'plain JavaScript', async () => ({
    source,
    sessions: javascriptSessions(),
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

  it.each(['models/fp32/links.onnx', 'models/fp32/weights.bin'])(
    'runs no graph of a damaged %s, and one that is whole again',
    async (damaged) => {
      let broken = true;
      const source = await tinyBundle({}, (path, bytes) =>
        broken && path === damaged ? bytes.with(bytes.length - 1, bytes.at(-1)! ^ 1) : bytes,
      );
      const engine = await openEngine({ source, sessions: webSessions({ ort }) });
      const query = parseQueryText('project(r1, project(r0, e1))', engine.vocabulary);
      await expect(engine.answer(query)).rejects.toMatchObject({
        code: 'bundle',
        message: expect.stringContaining(`${damaged}: altered: expected sha256`),
      });
      broken = false;
      expect((await engine.answer(query, { minDegree: 0 })).answers).toHaveLength(10);
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
    const golden = await readGolden(source, engine.manifest, 'fp32');
    const cell = await compareGolden(engine, golden);
    expect(cell.modes.embedding.compared).toBe(4 * 3 * structureNames.length);
    expect(failedPlans(cell)).toEqual(['2u by operators', 'up by operators']);
    await engine.close();
  });

  it('lets go of the weights when they are released, and reads them again for a graph that comes later', async () => {
    const { fetched, ...whole } = await tinyBundle();
    const path = 'models/fp32/weights.bin';
    let weights: WeakRef<Uint8Array> | undefined;
    const source: BundleSource = {
      ...whole,
      async read(...given) {
        const bytes = await whole.read(...given);
        if (given[0] === path) weights = new WeakRef(bytes);
        return bytes;
      },
    };
    const times = (): number => fetched.filter((each) => each === path).length;
    const sessions = webSessions({ ort });
    const engine = await openEngine({ source, sessions, plan: 'edge' });
    const query = parseQueryText('and(project(r0, e1), project(r1, e2))', engine.vocabulary);
    const before = await engine.answer(query, { mode: 'embedding' });
    await engine.warmUp();
    expect(times()).toBe(1);
    expect(await isCollected(weights)).toBe(false);
    sessions.releaseWeights();
    expect(await isCollected(weights)).toBe(true);
    expect(await engine.answer(query, { mode: 'embedding' })).toMatchObject({ answers: before.answers });
    expect(times()).toBe(1);
    // No mode has opened it: a tree that the graph for every structure does not have.
    const other = parseQueryText('not(project(r0, e1))', engine.vocabulary);
    expect((await engine.answer(other, { mode: 'embedding' })).answers).toHaveLength(10);
    expect(times()).toBe(2);
    await engine.close();
  });

  it('says that a platform has no SIMD, and reads no graph there', async () => {
    const { fetched, ...source } = await tinyBundle();
    const engine = await openEngine({ source, sessions: webSessions({ ort }) });
    const heard: unknown[] = [];
    const app = createEdgeApp({ source, ort, api: { onError: (error) => heard.push(error) } });
    const { validate } = WebAssembly;
    const modules: BufferSource[] = [];
    WebAssembly.validate = (bytes) => {
      modules.push(bytes);
      return false;
    };
    const expected = {
      code: 'runtime',
      message: 'expected WebAssembly with SIMD, got a platform without',
      hint: expect.stringContaining('Safari and Node from 16.4'),
      passing: false,
    };
    try {
      await expect(engine.warmUp()).rejects.toMatchObject(expected);
      const body = JSON.stringify({ query: 'project(r0, e1)' });
      const headers = { 'content-type': 'application/json' };
      const asked = new Request('https://edge.test/v1/query', { method: 'POST', headers, body });
      expect((await app.fetch(asked)).status).toBe(500);
      expect(heard).toMatchObject([expected]);
    } finally {
      WebAssembly.validate = validate;
    }
    expect(fetched.filter((path) => path.endsWith('.onnx'))).toEqual([]);
    // It is asked about a module that is whole, and has an instruction of SIMD.
    expect(modules.map((each) => validate(each))).toEqual([true, true]);
    expect(modules[0]).toContain(0xfd);
    await engine.warmUp();
    await engine.close();
  });

  it('runs one thing at a time in a runtime, whichever sessions it is asked by', async () => {
    let [running, most, runs] = [0, 0, 0];
    const work = async (): Promise<object> => {
      running += 1;
      runs += 1;
      most = Math.max(most, running);
      await new Promise((settle) => setTimeout(settle, 1));
      running -= 1;
      return {};
    };
    const runtime = (): typeof ort => {
      const create = async (): Promise<object> => ({ ...(await work()), run: work, release: work });
      return { ...ort, InferenceSession: { create } } as unknown as typeof ort; // what is used of it
    };
    const source: BundleSource = { location: 'memory', read: async () => new Uint8Array() };
    const graph: GraphEntry = { path: 'links.onnx', weights: [], inputs: [], outputs: [] };
    const mostAtOnce = async (...runtimes: (typeof ort)[]): Promise<number> => {
      [most, runs] = [0, 0];
      await Promise.all(
        runtimes.map(async (each) => {
          const session = await webSessions({ ort: each }).open(graph, source);
          await Promise.all([session.run({}), session.run({}), session.close()]);
        }),
      );
      expect(runs).toBe(4 * runtimes.length);
      return most;
    };
    const one = runtime();
    expect(await mostAtOnce(one, one)).toBe(1);
    // As `import * as ort` beside `import { InferenceSession, Tensor, env }`.
    expect(await mostAtOnce(one, { ...one })).toBe(1);
    expect(await mostAtOnce(one, runtime())).toBe(2);
  });

  it('refuses threads that are no number of threads', () => {
    expect(() => webSessions({ ort, threads: 1.5 })).toThrow(/threads/);
  });
});

/** Whether what a reference is to is gone: only what nothing holds goes. */
async function isCollected(reference: WeakRef<object> | undefined): Promise<boolean> {
  await collectGarbage();
  return reference?.deref() === undefined;
}

describe('createEdgeApp', () => {
  const ask = (query = 'and(project(r0, e1), not(project(r1, e2)))', mode?: AnswerMode) =>
    new Request('https://edge.test/v1/query', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, k: 5, ...(mode === undefined ? {} : { mode }) }),
    });

  it('opens the bundle at the first request, once for all that come at the same time', async () => {
    const source = await tinyBundle();
    const app = createEdgeApp({ source, ort });
    expect(source.fetched).toEqual([]);
    const responses = await Promise.all(Array.from({ length: 6 }, () => app.fetch(ask())));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(new Set(await Promise.all(responses.map((response) => response.text()))).size).toBe(1);
    expect(source.fetched.filter((path) => path === 'manifest.json')).toHaveLength(1);
    const { mode, answers, suggestions } = await (await app.fetch(ask())).json();
    expect(mode).toBe('sets');
    expect([...answers, ...suggestions][0]).toMatchObject({ degree: expect.any(Number), operands: [{}, {}] });
  });

  it('opens what a mode needs: one graph for the embedding of every structure, operators once another tree comes', async () => {
    const source = await tinyBundle();
    const app = createEdgeApp({ source, ort });
    let seen = 0;
    /** Which graphs are opened for a query, by name. */
    const opened = async (text: string, mode?: AnswerMode): Promise<string[]> => {
      const response = await app.fetch(ask(text, mode));
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ mode: mode ?? 'sets' });
      const graphs = source.fetched.filter((path) => path.endsWith('.onnx'));
      const fresh = graphs.slice(seen).map((path) => path.replace(/^.*\/|\.onnx$/g, ''));
      seen = graphs.length;
      return fresh.sort();
    };
    expect(await opened('project(r0, e1)')).toEqual(['links']);
    expect(await opened('project(r1, project(r0, e1))')).toEqual([]);
    expect(await opened('or(project(r0, e1), project(r1, e2))')).toEqual([]);
    expect(await opened('project(r0, e1)', 'embedding')).toEqual(['edge', 'rank']);
    expect(await opened('project(r1, project(r0, e1))', 'embedding')).toEqual([]);
    expect(await opened('and(project(r0, e1), not(project(r1, e2)))', 'embedding')).toEqual([]);
    expect(await opened('not(project(r0, e1))', 'embedding')).toEqual(['anchor', 'negation', 'project']);
    // Every file once, weights among them.
    expect(source.fetched).toHaveLength(new Set(source.fetched).size);
  });

  it('answers 500 while a file is not whole, 503 while it does not come, and tries again', async () => {
    let broken = true;
    let away = false;
    const whole = await tinyBundle({}, (path, bytes) =>
      broken && path === 'facts.bin' ? bytes.subarray(0, 12) : bytes,
    );
    const source = {
      ...whole,
      async read(...given: Parameters<typeof whole.read>) {
        if (away) throw new FuzzError('bundle', 'no answer', { passing: true });
        return whole.read(...given);
      },
    };
    const heard: unknown[] = [];
    const app = createEdgeApp({ source, ort, api: { onError: (error) => heard.push(error) } });
    const refused = await app.fetch(ask());
    expect(refused.status).toBe(500);
    expect(refused.headers.get('retry-after')).toBeNull();
    expect(refused.headers.get('content-type')).toBe('application/problem+json');
    expect(await refused.json()).toMatchObject({ code: 'runtime', status: 500 });
    expect(heard).toEqual([
      expect.objectContaining({ code: 'bundle', message: expect.stringContaining('facts.bin') }),
    ]);
    broken = false;
    away = true;
    const later = await app.fetch(ask());
    expect([later.status, later.headers.get('retry-after')]).toEqual([503, '1']);
    away = false;
    expect((await app.fetch(ask())).status).toBe(200);
  });
});
