import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Manifest, sealManifest } from '@fuzzqe/bundle';
import { createRandom } from '@fuzzqe/core';
import { formatQuery, instantiate, parseQueryText, structureNames, structures } from '@fuzzqe/core/query';
import {
  type AnswerMode,
  type BundleEngine,
  changeable,
  createEngine,
  createLocalRanker,
  openBundle,
  openEngine,
} from '@fuzzqe/engine';
import type { FactChange } from '@fuzzqe/facts';
import { engineFacts } from '@fuzzqe/facts/apply';
import { randomTree } from '@fuzzqe/parity';
import {
  bundleHost,
  startWorker,
  tinyBundle,
  type Worker,
  workerdRuntime,
  workerFromImage,
  workerWithFacts,
} from '@fuzzqe/parity/testing';
import { folderSource, nodeSessions } from '@fuzzqe/serve';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const target = { directory: '', profile: 'int8-basis' };
const workerd = await workerdRuntime.available(target);
if (!workerd.present && process.env['FUZZQE_REQUIRE_RUNTIMES'] === '1') throw new Error(workerd.reason);

describe.skipIf(!workerd.present)('a Worker in workerd', () => {
  let node: BundleEngine;
  let module: string;
  let directory: string;
  let fullDirectory: string;
  let image: Uint8Array;
  const folders: string[] = [];
  const workers: Worker[] = [];
  beforeAll(async () => {
    const [full, small] = await Promise.all([
      tinyBundle('tiny', ['int8-basis']),
      tinyBundle('tiny', ['int8-basis'], 'workers'),
    ]);
    folders.push(full.directory, small.directory);
    directory = small.directory;
    fullDirectory = full.directory;
    node = await openEngine({
      source: folderSource(full.directory),
      sessions: nodeSessions(full.directory, { threads: 1 }),
    });
    module = await bundleHost(workerFromImage);
    image = await imageOfProcess();
  });
  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.close()));
    await node?.close();
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
  });

  const start = async (place: Parameters<typeof startWorker>[1]): Promise<Worker> => {
    const worker = await startWorker(module, place);
    workers.push(worker);
    return worker;
  };
  const ask = (worker: Worker, query: string, more: object = {}): ReturnType<Worker['request']> =>
    worker.request('/v1/query', { body: JSON.stringify({ query, k: 5, ...more }) });
  const query = 'and(project(r0, e1), not(project(r1, e2)))';
  const file = (path: string): Promise<Uint8Array> => readFile(join(directory, path));

  it('answers requests that come before it is ready although the client that woke it goes, and everything as onnxruntime-node', async () => {
    let release = (): void => undefined;
    let reached = (): void => undefined;
    const fetching = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const asked: string[] = [];
    const lines: string[] = [];
    const worker = await start({
      image,
      onLine: (line) => lines.push(line),
      async bundle(path) {
        asked.push(path);
        reached();
        await released;
        return new Response(Uint8Array.from(await file(path)));
      },
    });
    expect(await worker.request('/livez')).toMatchObject({ status: 200 });
    expect(asked).toEqual([]);
    const abort = new AbortController();
    const body = JSON.stringify({ query });
    const first = worker.request('/v1/query', { body, signal: abort.signal }).then(
      () => 'answered',
      () => 'given up',
    );
    await fetching;
    const cold = Promise.all([ask(worker, query), ask(worker, query), worker.request('/readyz')]);
    abort.abort();
    expect(await first).toBe('given up');
    release();
    expect((await cold).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(JSON.parse((await cold)[2].text)).toMatchObject({ ready: true, profile: 'int8-basis' });
    expect(lines.filter((line) => line.includes('image of the runtime'))).toEqual([]);
    expect(asked.toSorted()).toEqual([...new Set(asked)].sort());
    expect(asked.filter((path) => path.includes('.onnx'))).toEqual(['models/int8-basis/edge.onnx']);

    const random = createRandom('trees in workerd');
    const queries = [
      ...structureNames.map((name) => {
        const { template, anchors, relations } = structures[name];
        const ids = (count: number, below: number): number[] =>
          Array.from({ length: count }, () => random.below(below));
        return instantiate(template, ids(anchors, 40), ids(relations, 6));
      }),
      ...Array.from({ length: 16 }, (_, i) => randomTree(node.manifest.model, 1 + (i % 4), random)),
    ];
    const modes: readonly AnswerMode[] = ['sets', 'embedding'];
    const [before] = JSON.parse((await worker.request('/heap')).text) as [number];
    for (const mode of modes)
      for (const each of queries) {
        const text = formatQuery(each, node.vocabulary);
        const response = await ask(worker, text, { mode, k: 40 });
        const got = JSON.parse(response.text) as Awaited<ReturnType<BundleEngine['answer']>>;
        const expected = await node.answer(each, { mode, k: 40 });
        expect(valuesOf(got).length, `${mode} ${text}`).toBe(valuesOf(expected).length);
        for (const [i, value] of valuesOf(expected).entries())
          expect(Math.abs(valuesOf(got)[i]! - value), `${mode} ${text}`).toBeLessThan(1e-4 * (1 + value));
      }
    const [after] = JSON.parse((await worker.request('/heap')).text) as [number];
    // A gate: a small model leaves what the runtime itself takes.
    expect(after).toBeLessThan(32 * 2 ** 20);
    expect(after - before).toBeLessThan(4 * 2 ** 20);
  });

  it('refuses ids and k that are out of range before the runtime could wrap them', async () => {
    const worker = workers[0]!;
    for (const [body, status] of [
      [{ query: ['project', 0, ['entity', -1]] }, 400],
      [{ query: { op: 'project', relation: 0, from: { op: 'entity', id: 40 } } }, 400],
      [{ query, k: 0 }, 422],
      [{ query, k: 41 }, 422],
      [{ query: 'project(r9, e1)' }, 422],
    ] as const) {
      const response = await worker.request('/v1/query', { body: JSON.stringify(body) });
      expect({ body, status: response.status, detail: JSON.parse(response.text).detail }).toMatchObject({
        status,
        detail: expect.any(String),
      });
    }
  });

  it('has the memory of the image where it begins by itself', async () => {
    const script = `
import wasm from './ort.wasm';
import { makeRuntimeImage } from '${source('make-runtime-image.ts')}';
export default {
  async fetch() {
    const file = await makeRuntimeImage(wasm);
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', file));
    return new Response(Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join(''));
  },
};`;
    const worker = await startWorker(await bundleHost(script), directory);
    workers.push(worker);
    expect((await worker.request('/')).text).toBe(createHash('sha256').update(image).digest('hex'));
  });

  it('begins by itself where the image of the runtime is missing or altered, and says so', async () => {
    const altered = image.slice();
    altered[altered.length - 9]! ^= 1;
    for (const [given, message] of [
      [undefined, 'image of the runtime: expected a file, got status 404'],
      [altered, 'image of the runtime: expected 1.30.0 '],
    ] as const) {
      const lines: string[] = [];
      const worker = await start({
        bundle: directory,
        // Its readers keep the memory that the end of a body is read into.
        compatibilityDate: '2024-01-01',
        ...(given === undefined ? {} : { image: given }),
        onLine: (line) => lines.push(line),
      });
      expect((await ask(worker, query)).status).toBe(200);
      await expect.poll(() => lines.join('\n'), { timeout: 20_000 }).toContain(message);
    }
  });

  it('answers from weights in parts as from whole ones, and names the part that is missing or altered', async () => {
    const cut = await tinyBundle('tiny', ['int8-basis'], 'workers', { partBytes: 2048 });
    folders.push(cut.directory);
    const weights = 'models/int8-basis/weights.bin';
    const manifest = JSON.parse(await readFile(join(cut.directory, 'manifest.json'), 'utf8')) as Manifest;
    const parts = manifest.files[weights]!.parts!.map(({ path }) => path);
    expect(parts.length).toBeGreaterThan(2);
    let change = (_path: string, bytes: Uint8Array): Uint8Array | undefined => bytes;
    const asked: string[] = [];
    const lines: string[] = [];
    const worker = await start({
      image,
      onLine: (line) => lines.push(line),
      async bundle(path) {
        asked.push(path);
        const bytes = change(path, Uint8Array.from(await readFile(join(cut.directory, path))));
        return new Response(bytes && Uint8Array.from(bytes), { status: bytes === undefined ? 404 : 200 });
      },
    });
    const [damaged] = parts.slice(1);
    for (const [wrong, message] of [
      [() => undefined, `expected the file ${damaged}, got status 404`],
      [(bytes: Uint8Array) => bytes.with(7, bytes[7]! ^ 1), `${damaged}: altered: expected sha256`],
    ] as const) {
      change = (path, bytes) => (path === damaged ? wrong(bytes) : bytes);
      const refused = await ask(worker, query);
      expect(refused.status, message).toBe(500);
      const { requestId } = JSON.parse(refused.text) as { readonly requestId: string };
      const faults = (): string[] => lines.filter((line) => line.includes(requestId));
      await expect.poll(() => faults().join('\n'), { timeout: 20_000 }).toContain(message);
      expect(faults()).toHaveLength(1);
    }
    change = (_path, bytes) => bytes;
    asked.length = 0;
    const whole = await start({ bundle: directory, image });
    for (const text of [query, 'or(project(r0, e1), project(r1, project(r2, e2)))'])
      for (const mode of ['sets', 'embedding']) {
        const answers = await Promise.all(
          [worker, whole].map(async (each) => {
            const { status, text: body } = await ask(each, text, { mode, k: 40 });
            expect(status).toBe(200);
            return (JSON.parse(body) as { readonly answers: unknown }).answers;
          }),
        );
        expect(answers[0]).toEqual(answers[1]);
      }
    expect(asked.filter((path) => path.startsWith(weights))).toEqual(parts);
  });

  it.each(['KV', 'R2'] as const)('follows changes of facts in %s, as Node does', async (binding) => {
    const lines: string[] = [];
    const worker = await startWorker(await bundleHost(workerWithFacts(binding)), {
      bundle: directory,
      onLine: (line) => lines.push(line),
    });
    workers.push(worker);
    const at = '2026-11-28T12:00:00Z';
    const add = (head: string, tail: string) => ({ does: 'add', head, relation: 'r0', tail });
    const batches = [
      { epoch: 1, at, creates: { entities: ['fresh'] }, changes: [add('fresh', 'e1'), add('e3', 'fresh')] },
      { epoch: 2, at, changes: [add('e1', 'e39'), { ...add('e3', 'fresh'), does: 'remove' }] },
    ];
    const textOf = (count: number): string =>
      batches
        .slice(0, count)
        .map((batch) => `${JSON.stringify(batch)}\n`)
        .join('');
    const opened = changeable(await openBundle(folderSource(fullDirectory)));
    const sessions = nodeSessions(fullDirectory, { threads: 1 });
    const twin = createEngine(opened, createLocalRanker(opened, { sessions }));
    const facts = engineFacts(twin);
    const asked = ['project(r0, e1)', 'project(r1, project(r0, e3))'];
    const valuesFor = async (text: string, mode: AnswerMode): Promise<number[]> =>
      valuesOf(JSON.parse((await ask(worker, text, { mode, k: 40 })).text));
    const differs = async (text: string, mode: AnswerMode): Promise<number> => {
      const got = await valuesFor(text, mode);
      const wanted = valuesOf(await twin.answer(parseQueryText(text, twin.vocabulary), { mode, k: 40 }));
      if (got.length !== wanted.length) return Number.POSITIVE_INFINITY;
      return wanted.reduce((most, value, i) => Math.max(most, Math.abs(got[i]! - value) / (1 + value)), 0);
    };
    const before = await valuesFor(asked[0]!, 'sets');
    expect((await ask(worker, 'project(r0, fresh)')).status).toBe(422);
    for (const count of [1, 2]) {
      await worker.publish(binding, 'facts', textOf(count), { epoch: count });
      await facts.change([{ ...batches[count - 1]!, changes: batches[count - 1]!.changes as FactChange[] }]);
      await twin.folded();
      const known = [...asked, 'project(r0, fresh)', 'project(r1, fresh)'];
      for (const mode of ['sets', 'embedding'] as const)
        for (const text of known)
          await expect.poll(() => differs(text, mode), { timeout: 20_000 }).toBeLessThan(1e-3);
    }
    expect(await valuesFor(asked[0]!, 'sets')).not.toEqual(before);
    expect(await worker.request('/readyz')).toMatchObject({ status: 200 });
    expect(lines.filter((line) => line.includes('error'))).toEqual([]);
    await twin.close();
  });

  it('says in its log what is wrong with a bundle, and answers once that is mended', async () => {
    let answer = async (path: string): Promise<Response> => new Response(Uint8Array.from(await file(path)));
    const lines: string[] = [];
    const worker = await start({ bundle: (path) => answer(path), onLine: (line) => lines.push(line) });
    const whole = answer;
    const manifest = JSON.parse(new TextDecoder().decode(await file('manifest.json'))) as Manifest;
    const resealed = async (change: (manifest: Manifest) => Partial<Manifest>): Promise<Uint8Array> => {
      const { sha256: _, ...rest } = { ...manifest, ...change(manifest) };
      return sealManifest(rest);
    };
    const instead =
      (wanted: string, response: () => Promise<Response> | Response) =>
      async (path: string): Promise<Response> =>
        path === wanted ? response() : whole(path);
    const bytes = async (content: Promise<Uint8Array>): Promise<Response> =>
      new Response(Uint8Array.from(await content));
    const weights = 'models/int8-basis/weights.bin';
    const many = { ...manifest.files, 'facts.bin': { ...manifest.files['facts.bin']!, bytes: 12 * 2 ** 23 } };
    const cases: readonly (readonly [typeof answer, string, number?])[] = [
      [async () => new Response('', { status: 500 }), 'expected the file manifest.json, got status 500', 503],
      [async () => new Response('', { status: 404 }), 'expected the file manifest.json, got status 404'],
      [
        async () => new Response('<html>', { headers: { 'content-type': 'text/html' } }),
        'expected the file manifest.json, got a web page',
      ],
      [instead('manifest.json', () => bytes(resealed(() => ({ version: 1 })))), 'version: expected 6, got 1'],
      [instead(weights, () => new Response('', { status: 404 })), `expected the file ${weights}`],
      [
        instead(weights, async () => {
          const content = Uint8Array.from(await file(weights));
          content[7]! ^= 1;
          return new Response(content);
        }),
        `${weights}: altered: expected sha256`,
      ],
      [
        instead('manifest.json', () =>
          bytes(resealed(({ data }) => ({ files: many, data: { ...data, edges: 2 ** 24 } }))),
        ),
        'too large',
      ],
    ];
    for (const [wrong, message, status = 500] of cases) {
      answer = wrong;
      const refused = await ask(worker, query);
      expect(refused.status, message).toBe(status);
      expect(JSON.parse(refused.text)).toMatchObject({ code: 'runtime', status });
      const { requestId } = JSON.parse(refused.text) as { readonly requestId: string };
      await expect
        .poll(() => lines.find((line) => line.includes(requestId)), { timeout: 20_000 })
        .toEqual(expect.stringContaining(message));
    }
    expect((await worker.request('/readyz')).status).toBe(503);
    answer = whole;
    expect((await worker.request('/readyz')).status).toBe(200);
    expect((await ask(worker, query)).status).toBe(200);
  });
});

const source = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** The file as the build of the package makes it: in a process of its own. */
async function imageOfProcess(): Promise<Uint8Array> {
  const script = await bundleHost(`
import { readFileSync, writeSync } from 'node:fs';
import { makeRuntimeImage } from '${source('make-runtime-image.ts')}';
const wasm = new WebAssembly.Module(readFileSync(process.argv[2]));
const image = await makeRuntimeImage(wasm);
for (let at = 0; at < image.length; ) at += writeSync(1, image, at);`);
  const folder = await mkdtemp(join(tmpdir(), 'fuzzqe-image-'));
  try {
    const file = join(folder, 'make.mjs');
    await writeFile(file, script);
    const wasm = createRequire(import.meta.url).resolve('onnxruntime-web/ort-wasm-simd-threaded.wasm');
    const { stdout } = await promisify(execFile)(process.execPath, [file, wasm], {
      encoding: 'buffer',
      maxBuffer: 2 ** 24,
    });
    return stdout;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Degrees or scores, best first. */
function valuesOf({ answers }: Awaited<ReturnType<BundleEngine['answer']>>): number[] {
  return answers.map((each) => ('degree' in each ? each.degree : each.score));
}
