import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createRandom } from '@fuzzqe/core';
import type { StructureName } from '@fuzzqe/core/query';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSamplingPool, sampleQueries } from '../index.ts';
import { smallGraphs } from '../testing/small-graphs.ts';

const { smaller, larger } = smallGraphs('pool');
let folder = '';
let entry = new URL('file:///');

/** Node 20 runs no TypeScript: the threads of this test run the sources in one compiled file. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-pool-'));
  await build({
    configFile: false,
    logLevel: 'silent',
    resolve: { conditions: ['@fuzzqe/source'] },
    ssr: { noExternal: true, resolve: { conditions: ['@fuzzqe/source'] } },
    build: {
      ssr: fileURLToPath(new URL('draw-worker.ts', import.meta.url)),
      outDir: folder,
      rollupOptions: { output: { entryFileNames: 'worker.mjs' } },
    },
  });
  entry = pathToFileURL(join(folder, 'worker.mjs'));
});
afterAll(() => rm(folder, { recursive: true }));

async function sampleWith(workers: number, structure: StructureName, signal?: AbortSignal) {
  const pool = createSamplingPool({ graphs: [larger, smaller], workers, entry });
  try {
    return await sampleQueries({
      structure,
      count: 150,
      smaller,
      larger,
      random: createRandom('pool', structure),
      pool,
      ...(signal === undefined ? {} : { signal }),
    });
  } finally {
    await pool.close();
  }
}

describe('sampling on threads', () => {
  it.each(['2p', '3in', 'up'] as const)(
    'gives the same %s queries for every number of them',
    async (name) => {
      const here = await sampleWith(0, name);
      expect(here.count).toBe(150);
      expect(await sampleWith(1, name)).toEqual(here);
      expect(await sampleWith(3, name)).toEqual(here);
    },
  );

  it('stops when it is told to', async () => {
    await expect(sampleWith(2, '2p', AbortSignal.abort())).rejects.toMatchObject({ code: 'interrupted' });
  });

  it('says so when a thread fails', async () => {
    const broken = new URL('data:text/javascript,throw new Error("out of order")');
    const pool = createSamplingPool({ graphs: [larger], workers: 2, entry: broken });
    const running = sampleQueries({
      structure: '2p',
      count: 10,
      smaller: null,
      larger,
      random: createRandom(1),
      pool,
    });
    await expect(running).rejects.toMatchObject({ code: 'runtime', message: /out of order/ });
    await pool.close();
  });

  it('says so when a thread ends without an error, and waits for nothing', async () => {
    const ending = new URL('data:text/javascript,process.exit(0)');
    const pool = createSamplingPool({ graphs: [larger], workers: 2, entry: ending });
    const options = {
      structure: '2p',
      count: 10,
      smaller: null,
      larger,
      random: createRandom(1),
      pool,
    } as const;
    await expect(sampleQueries(options)).rejects.toMatchObject({
      code: 'runtime',
      message: /exited with code 0/,
    });
    await pool.close();
  });

  it('refuses a pool that was made of other graphs', async () => {
    const pool = createSamplingPool({ graphs: [smaller], workers: 0 });
    const running = sampleQueries({
      structure: '2p',
      count: 1,
      smaller: null,
      larger,
      random: createRandom(1),
      pool,
    });
    await expect(running).rejects.toMatchObject({ code: 'usage' });
  });
});
