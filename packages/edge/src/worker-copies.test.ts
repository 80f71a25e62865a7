import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bundlePaths, type Manifest } from '@fuzzqe/bundle';
import {
  bundleHost,
  startWorker,
  tinyBundle,
  workerdRuntime,
  workerWithCopies,
} from '@fuzzqe/parity/testing';
import { expect, it } from 'vitest';

const target = { directory: '', profile: 'int8-basis' };
const workerd = await workerdRuntime.available(target);
if (!workerd.present && process.env['FUZZQE_REQUIRE_RUNTIMES'] === '1') throw new Error(workerd.reason);

it.skipIf(!workerd.present)(
  'a Worker keeps copies in its Cache Storage: later openings fetch the manifest, and what another version of the bundle has changed',
  async () => {
    const [older, newer, script] = await Promise.all([
      tinyBundle('older', ['int8-basis'], 'workers', { partBytes: 2048 }),
      tinyBundle('newer', ['int8-basis'], 'workers', { partBytes: 2048 }),
      bundleHost(workerWithCopies),
    ]);
    const manifestOf = async (directory: string): Promise<Manifest> =>
      JSON.parse(await readFile(join(directory, bundlePaths.manifest), 'utf8'));
    const { facts, manifest, entities, relations } = bundlePaths;
    let { directory } = older;
    let missing: string | undefined;
    const fetched: string[] = [];
    const lines: string[] = [];
    const worker = await startWorker(script, {
      onLine: (line) => lines.push(line),
      async bundle(path) {
        fetched.push(path);
        if (path === missing) return new Response('', { status: 404 });
        return new Response(Uint8Array.from(await readFile(join(directory, path))));
      },
    });
    const ask = () =>
      worker.request('/v1/query', {
        body: JSON.stringify({ query: 'project(r0, e1)', k: 40, minDegree: 0 }),
      });
    /** What is answered once a bundle is opened, and what is fetched for it. */
    const open = async (from: string, count: number) => {
      directory = from;
      fetched.length = 0;
      await worker.request('/again');
      const { status, text } = await ask();
      expect(status).toBe(200);
      const { answers } = JSON.parse(text) as { readonly answers: readonly unknown[] };
      expect(answers).toHaveLength(count);
      return { answers, fetched: fetched.toSorted() };
    };
    try {
      const { files } = await manifestOf(older.directory);
      const parts = files['models/int8-basis/weights.bin']!.parts!.map(({ path }) => path);
      expect(parts.length).toBeGreaterThan(1);
      // What was kept for a request that failed is there for the next, which fetches the rest.
      missing = parts.at(-1)!;
      expect((await ask()).status).toBe(500);
      expect(fetched).toEqual(expect.arrayContaining([manifest, entities, facts, ...parts]));
      const last = missing;
      missing = undefined;
      const cold = await open(older.directory, 40);
      expect(cold.fetched).toEqual([manifest, last]);

      const warm = await open(older.directory, 40);
      expect(warm.fetched).toEqual([manifest]);
      expect(warm.answers).toEqual(cold.answers);

      // r0 has no loops there, so e1 is no answer.
      const replaced = await open(newer.directory, 39);
      expect(replaced.answers).not.toContainEqual(expect.objectContaining({ key: 'e1' }));
      const changed = await manifestOf(newer.directory);
      expect(replaced.fetched).toEqual(expect.arrayContaining([manifest, facts, ...parts]));
      // Both have the same names.
      for (const path of [entities, relations]) {
        expect(changed.files[path]!.sha256).toBe(files[path]!.sha256);
        expect(replaced.fetched).not.toContain(path);
      }
      expect(replaced.answers).not.toEqual(cold.answers);
      // The copies of the older one gave way.
      expect((await open(older.directory, 40)).fetched).toEqual(replaced.fetched);
      expect(lines.filter((line) => line.includes('copies'))).toEqual([]);
    } finally {
      await worker.close();
      await Promise.all([older, newer].map((each) => rm(each.directory, { recursive: true, force: true })));
    }
  },
);
