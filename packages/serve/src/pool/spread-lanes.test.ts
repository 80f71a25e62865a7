import { setTimeout as sleep } from 'node:timers/promises';
import { FuzzError } from '@fuzzqe/core';
import type { Lane, Ranker, RankRequest } from '@fuzzqe/engine';
import { describe, expect, it, vi } from 'vitest';
import { type SpreadOptions, spreadLanes } from './spread-lanes.ts';
import type { RankerThread } from './thread-lane.ts';
import { createThreadPool } from './thread-pool.ts';

/** A pool of three threads, and lanes that take a moment for a batch. */
function spread(lanes: number) {
  const ends: ((reason: FuzzError) => void)[] = [];
  const threads = createThreadPool(3, () => {
    let end = (_: FuzzError): void => undefined;
    const ended = new Promise<FuzzError>((resolve) => {
      end = resolve;
    });
    ends.push(end);
    // Lanes are opened by `open`, and nothing else of a thread is used.
    return { bundles: 0, ended, close: async () => undefined } as unknown as RankerThread;
  });
  const ranked: number[] = [];
  const followed: [number, unknown][] = [];
  const open = vi.fn<SpreadOptions['open']>(async ({ ended }): Promise<Lane> => {
    const number = open.mock.calls.length;
    await sleep(1);
    const ranker = {
      runtime: 'test',
      plan: 'operators',
      ready: true,
      async rank() {
        ranked.push(number);
        await sleep(2);
        return [];
      },
      follow: async (facts: unknown) => void followed.push([number, facts]),
      warmUp: async () => undefined,
      close: async () => undefined,
    };
    // Of requests that nobody answers, there are no results to have a type.
    return { ranker: ranker as unknown as Ranker, ended };
  });
  const queue = spreadLanes({ threads, lanes, open });
  return { ...queue, calls: open.mock.calls, ranked, followed, ends };
}

const requests: readonly RankRequest[] = [];

describe('the lanes of a bundle', () => {
  it('are open on all threads at the start where they are told to be', async () => {
    const { open, calls, lanes } = spread(3);
    await Promise.all([open(), open(), open()]);
    expect([lanes, calls.map(([, why]) => why)]).toEqual([3, ['start', 'start', 'start']]);
    expect(new Set(calls.map(([thread]) => thread)).size).toBe(3);
  });

  it('stay on one thread for a bundle that is seldom asked', async () => {
    const { open, calls, ranked } = spread(1);
    const all = await Promise.all([open(), open(), open()]);
    for (let i = 0; i < 30; i++) await all[i % 3]!.ranker.rank(requests);
    expect([calls.map(([, why]) => why), new Set(ranked)]).toEqual([['start'], new Set([1])]);
  });

  it('spread to other threads while they are busy, with the facts that they follow', async () => {
    const { open, calls, ranked, followed } = spread(1);
    const all = await Promise.all([open(), open(), open()]);
    // Of an epoch, the lanes look at nothing.
    const facts = { epoch: 1 } as unknown as Parameters<NonNullable<Ranker['follow']>>[0];
    for (const { ranker } of all) await ranker.follow?.(facts);
    for (let i = 0; i < 40; i++) await Promise.all(all.map(({ ranker }) => ranker.rank(requests)));
    expect(calls.map(([, why]) => why)).toEqual(['start', 'more', 'more']);
    expect(new Set(calls.map(([thread]) => thread)).size).toBe(3);
    expect(new Set(ranked.slice(-3))).toEqual(new Set([1, 2, 3]));
    expect(followed).toEqual([1, 2, 3].map((number) => [number, facts]));
    await Promise.all(all.map(({ ranker }) => ranker.close()));
  });

  it('say for a while that nobody answers, where their only thread ends, and are opened on another', async () => {
    const { open, calls, ends } = spread(1);
    const [home, second] = await Promise.all([open(), open(), open()]);
    for (const end of ends) end(new FuzzError('runtime', 'ended', { passing: true }));
    expect(await home.ended).toMatchObject({ message: 'ended' });
    await expect(second.ranker.rank(requests)).rejects.toMatchObject({ passing: true });
    await open();
    expect(calls.map(([, why]) => why)).toEqual(['start', 'instead']);
    await second.ranker.rank(requests);
  });
});
