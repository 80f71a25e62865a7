import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalRanker, type Lane, openBundle, type Ranker, type RankResult } from '@fuzzqe/engine';
import { memoryBundle } from '@fuzzqe/engine/testing';
import { exportMemoryBundle } from '@fuzzqe/parity/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { folderSource } from '../bundle-source.ts';
import { nodeSessions } from '../session.ts';
import { rankOnOwnThreads } from './pooled-ranker.ts';
import type { RankerThread, WorkerBundle } from './thread-lane.ts';
import { createThreadPool } from './thread-pool.ts';

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fuzzqe-pool-'));
  await exportMemoryBundle(directory, await memoryBundle(), { profiles: ['fp32'], golden: 1 });
});
afterAll(() => rm(directory, { recursive: true }));

/** A bundle, and threads that are none: what each was opened with, and whether it was ended. */
async function pool(change: (ranker: Ranker) => Partial<Ranker> = () => ({})) {
  const bundle = await openBundle(folderSource(directory));
  const opened: WorkerBundle[] = [];
  const closed = vi.fn();
  const ended = vi.fn(async () => undefined);
  const thread = (): RankerThread => ({
    bundles: 0,
    ended: new Promise(() => undefined),
    open(given): Lane {
      opened.push(given);
      const ranker = createLocalRanker(bundle, { sessions: nodeSessions(directory) });
      const close = (): Promise<void> => {
        closed();
        return ranker.close();
      };
      return { ranker: { ...ranker, ...change(ranker), close } };
    },
    close: ended,
  });
  return { bundle, opened, closed, ended, threads: createThreadPool(2, thread) };
}

describe('a pool', () => {
  it('shares the bytes for fuzzy sets among its threads', async () => {
    const { bundle, threads, opened } = await pool();
    const ranker = await rankOnOwnThreads(bundle, { directory, cacheBytes: 1001 }, threads);
    expect(opened.map(({ cacheBytes }) => cacheBytes)).toEqual([500, 500]);
    await ranker.close();
  });

  it('lets no thread answer callers whose golden cases come out wrong, and ends all', async () => {
    const { bundle, threads, closed } = await pool(({ rank }) => ({
      rank: async (requests, limits) => {
        const results = await rank(requests, limits);
        // As a processor does that multiplies otherwise.
        for (const result of results as readonly RankResult[])
          if (result.task === 'embedding') result.scores[0]! += 0.01;
        return results;
      },
    }));
    await expect(rankOnOwnThreads(bundle, { directory }, threads)).rejects.toMatchObject({
      code: 'parity',
    });
    expect(closed).toHaveBeenCalledTimes(2);
  });

  it('ends the threads that it was given where a graph of the bundle was altered', async () => {
    const { bundle, threads, ended } = await pool();
    const verify = () => Promise.reject(new Error('altered'));
    const altered = { ...bundle, source: { ...bundle.source, verify } };
    await expect(rankOnOwnThreads(altered, { directory }, threads)).rejects.toThrow('altered');
    expect(ended).toHaveBeenCalledTimes(2);
  });
});
