import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Worker } from 'node:worker_threads';
import { asEntityId, asRelationId, createRandom, shareGraph } from '@fuzzqe/core';
import { entity, instantiate, project, type Query, structureNames, structures } from '@fuzzqe/core/query';
import { type Engine, openBundle, openEngine } from '@fuzzqe/engine';
import { describeRanker, memoryBundle } from '@fuzzqe/engine/testing';
import { exportMemoryBundle, tinyBundle } from '@fuzzqe/parity/testing';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createPooledRanker, folderSource, nodeSessions, openServingEngine } from '../index.ts';

let folder = '';
let directory = '';
let script = new URL('file:///');
let dyingScript = script;

/** Node 20 runs no TypeScript: the threads of this test run the sources in one compiled file. */
beforeAll(async () => {
  // Beside node_modules, where the runtime's package is found.
  folder = await mkdtemp(fileURLToPath(new URL('../../../../node_modules/.fuzzqe-pool-', import.meta.url)));
  await build({
    configFile: false,
    logLevel: 'silent',
    resolve: { conditions: ['@fuzzqe/source'] },
    ssr: { noExternal: true, external: ['onnxruntime-node'], resolve: { conditions: ['@fuzzqe/source'] } },
    build: {
      ssr: fileURLToPath(new URL('ranker-worker.ts', import.meta.url)),
      outDir: folder,
      rollupOptions: { output: { entryFileNames: 'worker.mjs' } },
    },
  });
  script = pathToFileURL(join(folder, 'worker.mjs'));
  // The worker itself, and a request that it does not outlive.
  const dying = join(folder, 'dying.mjs');
  await writeFile(
    dying,
    `import { parentPort } from 'node:worker_threads';
     import { threadId } from 'node:worker_threads';
     import './worker.mjs';
     parentPort.postMessage({ note: 'alike' });
     parentPort.postMessage({ note: 'started ' + threadId });
     parentPort.on('message', ({ call }) => {
       if (call.does === 'rank' && call.batch[0].task === 'degrees') process.exit(3);
     });`,
  );
  dyingScript = pathToFileURL(dying);
  directory = await mkdtemp(join(tmpdir(), 'fuzzqe-pool-'));
  await exportMemoryBundle(directory, await memoryBundle(), { profiles: ['fp32'], golden: 2 });
}, 60_000);
afterAll(() => Promise.all([folder, directory].map((path) => rm(path, { recursive: true, force: true }))));

describeRanker({ describe, it }, 'a pool of two worker threads', async () => ({
  source: folderSource(directory),
  open: (bundle) => createPooledRanker(bundle, { directory, workers: 2, script }),
}));

describe('a pool', () => {
  it('answers as an engine in this thread does', async () => {
    const here = await openEngine({ source: folderSource(directory), sessions: nodeSessions(directory) });
    const pooled = await openServingEngine({ directory, workers: 2, script });
    expect(pooled.runtime).toBe('onnxruntime-node cpu');
    const random = createRandom('pool');
    const draw = (count: number, below: number): number[] =>
      Array.from({ length: count }, () => random.below(below));
    const queries = structureNames.flatMap((name) => {
      const { template, anchors, relations } = structures[name];
      return [1, 2].map(() => instantiate(template, draw(anchors, 40), draw(relations, 6)));
    });
    for (const mode of ['sets', 'embedding'] as const) {
      const options = {
        exclude: 'known',
        ...(mode === 'sets' ? { mode, minDegree: 0 } : { mode }),
      } as const;
      const expected = await here.answerAll(queries, options);
      const actual = await Promise.all(queries.map((query) => pooled.answer(query, options)));
      const seen = (answers: typeof expected) => answers.map((each) => each.answers.map(({ id }) => id));
      expect(seen(actual)).toEqual(seen(expected));
    }
    for (const query of queries.slice(0, 8)) {
      const reasons = async (engine: Engine) =>
        (await engine.answer(query, { explain: true, k: 3, minDegree: 0 })).answers.map(
          ({ links, derivation }) => [
            links?.map(({ head, relation, tail, recorded }) => [head.id, relation.id, tail.id, recorded]),
            derivation !== undefined,
          ],
        );
      const expected = await reasons(here);
      expect(expected[0]![1]).toBe(true);
      expect(await reasons(pooled)).toEqual(expected);
    }
    await Promise.all([here.close(), pooled.close()]);
  });

  it('has the confidences of imported facts, whatever thread answers', async () => {
    const { directory: rated, first } = await tinyBundle('tiny', ['fp32'], 'node', { confidence: 0.25 });
    const here = await openEngine({ source: folderSource(rated), sessions: nodeSessions(rated) });
    const pooled = await openServingEngine({ directory: rated, workers: 2, script });
    const [head, relation, tail] = first;
    const query = project(asRelationId(relation!), entity(asEntityId(head!)));
    const degreesOf = async (engine: Engine, of: Query) =>
      (await engine.answer(of, { k: 40, minDegree: 0 })).answers.map(({ id, degree, state }) => [
        id,
        degree,
        state,
      ]);
    const expected = await degreesOf(here, query);
    expect(expected).toContainEqual([tail, 0.25, 'recorded']);
    const twice = project(asRelationId(relation! + 1), query);
    for (let thread = 0; thread < 4; thread++) expect(await degreesOf(pooled, query)).toEqual(expected);
    expect(await degreesOf(pooled, twice)).toEqual(await degreesOf(here, twice));
    await Promise.all([here.close(), pooled.close()]);
    await rm(rated, { recursive: true, force: true });
  });

  it('shares the index of the facts instead of copying it', async () => {
    const { facts } = await openBundle(folderSource(directory));
    const shared = shareGraph(facts);
    expect(shared.forwardTriples()).toEqual(facts.forwardTriples());
    for (const values of Object.values(shared.index)) expect(values.buffer).toBeInstanceOf(SharedArrayBuffer);
  });

  it('keeps the sets of parts of queries where it is told to, with the same answers', async () => {
    const bundle = await openBundle(folderSource(directory));
    const pools = [0, 1 << 20].map((cacheBytes) =>
      createPooledRanker(bundle, { directory, workers: 1, script, cacheBytes }),
    );
    const [plain, keeping] = await Promise.all(pools);
    const { template } = structures['3p'];
    const requests = [0, 1, 2].map((last) => ({
      task: 'sets' as const,
      query: instantiate(template, [3], [0, 2, last]),
      k: 5,
    }));
    for (const request of requests) {
      const [expected, actual] = [await plain!.rank([request]), await keeping!.rank([request])];
      expect(actual).toEqual(expected);
    }
    expect(plain!.counters.cache).toEqual({ hits: 0, misses: 0 });
    // The first link and the set behind it, of the second query and of the third.
    expect(keeping!.counters.cache.hits).toBeGreaterThanOrEqual(4);
    await Promise.all([plain!.close(), keeping!.close()]);
  });

  it('replaces a thread that ends', async () => {
    const bundle = await openBundle(folderSource(directory));
    const notes: string[] = [];
    const log = (line: string): void => void notes.push(line);
    const pool = await createPooledRanker(bundle, { directory, workers: 1, script: dyingScript, log });
    const request = { task: 'degrees', query: instantiate(structures['1p'].template, [0], [0]) } as const;
    await expect(pool.rank([request])).rejects.toMatchObject({
      code: 'runtime',
      message: expect.stringContaining('code 3'),
      passing: true,
    });
    await expect.poll(() => pool.counters, { timeout: 60_000 }).toMatchObject({ workers: 1, restarts: 1 });
    // The thread says so when it starts: the one that took the place of the other, too, but what has been said.
    const twice = [expect.stringContaining('started'), expect.stringContaining('started')];
    await expect.poll(() => notes).toEqual(['alike', ...twice]);
    expect(await pool.rank([{ ...request, task: 'embed' }])).toHaveLength(1);
    await pool.close();
  });

  it('compares files again for a thread that takes the place of another, and waits for those of the bundle', async () => {
    const copied = await mkdtemp(join(tmpdir(), 'fuzzqe-pool-changed-'));
    await cp(directory, copied, { recursive: true });
    const bundle = await openBundle(folderSource(copied));
    const [file] = bundle.profile.rank.weights;
    const place = join(copied, file!);
    const pool = await createPooledRanker(bundle, { directory: copied, workers: 1, script: dyingScript });
    const failures: unknown[] = [];
    pool.observe({
      batch: () => undefined,
      refused: () => undefined,
      replaceFailed: (error) => failures.push(error),
    });
    // Another file of that name: threads that have the former one open keep it.
    const altered = (await readFile(place)).toReversed();
    await rm(place);
    await writeFile(place, altered);
    const request = { task: 'degrees', query: instantiate(structures['1p'].template, [0], [0]) } as const;
    await expect(pool.rank([request])).rejects.toMatchObject({ code: 'runtime' });
    await expect.poll(() => failures.length, { timeout: 60_000 }).toBeGreaterThan(0);
    expect(failures[0]).toMatchObject({
      code: 'bundle',
      message: expect.stringContaining(`${file}: altered`),
    });
    expect(pool.ready).toBe(false);
    await rm(place);
    await cp(join(directory, file!), place);
    await expect.poll(() => pool.counters, { timeout: 60_000 }).toMatchObject({ workers: 1, restarts: 1 });
    expect(await pool.rank([{ ...request, task: 'embed' }])).toHaveLength(1);
    await pool.close();
    await rm(copied, { recursive: true });
  });

  it('answers with what it checked at its start, where the folder is emptied under it', async () => {
    const copied = await mkdtemp(join(tmpdir(), 'fuzzqe-pool-copy-'));
    await cp(directory, copied, { recursive: true });
    const pool = await openServingEngine({ directory: copied, workers: 1, script });
    const query = instantiate(structures['1p'].template, [0], [0]);
    const without = { mode: 'embedding', filter: { ids: [1, 2, 3] } } as const;
    const here = await openEngine({ source: folderSource(directory), sessions: nodeSessions(directory) });
    const expected = await here.answer(query, without);
    await rm(copied, { recursive: true });
    expect((await pool.answer(query, without)).answers).toEqual(expected.answers);
    await Promise.all([pool.close(), here.close()]);
  });

  it('says what its threads have to say on standard error, unless it is told where', async () => {
    const error = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const pool = await openServingEngine({ directory, workers: 1, script: dyingScript });
    const said = error.mock.calls.map(([line]) => line);
    error.mockRestore();
    await pool.close();
    expect(said).toEqual(['alike\n', expect.stringMatching(/^started \d+\n$/)]);
  });

  it('leaves no thread behind where an engine cannot be warmed up', async () => {
    // The worker itself, which is ready once: for its golden cases, and not for the engine.
    const weary = join(folder, 'weary.mjs');
    await writeFile(
      weary,
      `import { parentPort } from 'node:worker_threads';
       import './worker.mjs';
       let warmUps = 0;
       parentPort.on('message', ({ id, call }) => {
         if (call.does !== 'warmUp' || ++warmUps === 1) return;
         parentPort.postMessage({ id, reply: { error: { code: 'runtime', message: 'not again' } } });
       });`,
    );
    const threads: Worker[] = [];
    const count = (thread: Worker): void => void threads.push(thread);
    process.on('worker', count);
    const opening = openServingEngine({ directory, workers: 2, script: pathToFileURL(weary) });
    await expect(opening).rejects.toMatchObject({ code: 'runtime', message: 'not again' });
    process.off('worker', count);
    // The id of a thread that has ended.
    expect(threads.map(({ threadId }) => threadId)).toEqual([-1, -1]);
  });

  it.each<[string, object, string]>([
    ['directory', { directory: undefined }, 'expected the path of a bundle, got nothing'],
    ['directory', { directory: '' }, 'got ""'],
    ['device', { device: 'tpu' }, 'expected auto or cpu or cuda or webgpu, got "tpu"'],
    ['workers', { workers: Number.NaN }, 'got NaN'],
    ['workers', { workers: 1e9 }, 'expected an integer in [0, 1024], got 1000000000'],
    ['batchSize', { batchSize: Number.NaN }, 'got NaN'],
    ['waitingLimit', { waitingLimit: -1 }, 'got -1'],
    ['waitingTime', { waitingTime: Number.NaN }, 'got NaN'],
    ['cacheBytes', { cacheBytes: -1 }, 'got -1'],
    ['plan', { plan: 'x' }, 'got "x"'],
    ['log', { log: 'x' }, 'expected a function, got "x"'],
    ['wokers', { wokers: 1 }, 'expected no such key'],
    // Anybody's bundle would be opened.
    ['requireSignatur', { requireSignatur: 'a key' }, 'expected no such key'],
  ])('refuses %s of %j, and leaves no thread that keeps the process', async (name, change, message) => {
    const threads: Worker[] = [];
    const count = (thread: Worker): void => void threads.push(thread);
    process.on('worker', count);
    await expect(openServingEngine({ directory, workers: 2, script, ...change })).rejects.toMatchObject({
      code: 'usage',
      path: `$.${name}`,
      message: expect.stringContaining(message),
    });
    process.off('worker', count);
    expect(threads.filter(({ threadId }) => threadId !== -1)).toEqual([]);
  });

  it.each([undefined, null, 'bundle'])('refuses %j in place of options', async (value) => {
    await expect(openServingEngine(value as never)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('expected an object, got '),
    });
  });

  it('says why a thread does not start', async () => {
    const bundle = await openBundle(folderSource(directory));
    const broken = new URL(`data:text/javascript,${encodeURIComponent('throw new Error("no luck")')}`);
    await expect(createPooledRanker(bundle, { directory, workers: 2, script: broken })).rejects.toMatchObject(
      {
        code: 'runtime',
        message: expect.stringContaining('no luck'),
      },
    );
    await expect(createPooledRanker(bundle, { directory, workers: -1 })).rejects.toMatchObject({
      code: 'usage',
    });
  });
});
