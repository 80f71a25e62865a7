import { createRandom } from '@fuzzqe/core';
import { describe, expect, it } from 'vitest';
import { takeClaim } from './claim.ts';
import { claimNext } from './claim-next.ts';
import type { SweepStore } from './store/sweep-store.ts';
import { trialKeys } from './store/trial-keys.ts';
import { memoryStore } from './testing/memory-store.ts';
import { createTrialView, type TrialView } from './trial-view.ts';

const count = 10_000;
const all = Array.from({ length: count }, (_, trial) => trial);
const lease = 1e6;
const random = createRandom('claims');

describe('claims among 10 000 trials', () => {
  /** A store in which so many have ended, each with a run of five files. */
  const storeWith = async (ended: number) => {
    const memory = memoryStore();
    for (let trial = 0; trial < ended; trial += 1) {
      await memory.store.write(trialKeys.claim(trial, 1), '{}');
      await memory.store.write(trialKeys.result(trial), '{}');
      for (const file of ['state.json', 'log.jsonl', 'last.safetensors', 'best.safetensors', 'x'])
        await memory.store.write(trialKeys.run(trial, 1, file), '');
    }
    memory.requests.clear();
    return memory;
  };
  /** Claims the next trial, and ends there; gives which it was. */
  const claimAndEnd = async (store: SweepStore, view: TrialView): Promise<number> => {
    const { claimed } = await claimNext(store, view, { trials: all, left: new Set(), lease, random });
    await claimed!.claim.end({ release: false });
    return claimed!.claim.trial;
  };
  const sum = (requests: ReadonlyMap<string, number>): number =>
    [...requests.values()].reduce((total, each) => total + each, 0);

  it('take one request each in one process, after one listing of the claims and results', async () => {
    const { store, requests } = await storeWith(5000);
    const view = createTrialView(store);
    const claimed: number[] = [];
    for (let i = 0; i < 200; i += 1) {
      // A listing of now would hide what the process has to note by itself.
      claimed.push(await claimAndEnd(store, held(view)));
    }
    expect(claimed).toEqual(all.slice(5000, 5200));
    // 1000 keys a request, two keys a trial.
    expect(Object.fromEntries(requests)).toEqual({ list: 10, create: 200 });
  });

  it('take a few requests each in 32 processes, none twice', async () => {
    const { store, requests } = await storeWith(5000);
    const views = Array.from({ length: 32 }, () => createTrialView(store));
    const claimed: number[] = [];
    for (let round = 0; round < 12; round += 1)
      await Promise.all(
        views.map(async (view) => {
          claimed.push(await claimAndEnd(store, held(view)));
        }),
      );
    expect(new Set(claimed).size).toBe(384);
    expect(requests.get('list')).toBe(32 * 10);
    expect((sum(requests) - 320) / 384).toBeLessThan(2.5);
  });

  it('are chosen by a listing for ten times as long as it took, and then by a new one', async () => {
    const { store } = await storeWith(3);
    let now = 1000;
    const slow = {
      ...store,
      async list(prefix: string) {
        now += 7;
        return store.list(prefix);
      },
    };
    const view = createTrialView(slow, undefined, () => now);
    expect((await view.entries()).size).toBe(3);
    // By another process.
    await store.write(trialKeys.claim(3, 1), '{}');
    now += 69;
    expect((await view.entries()).size).toBe(3);
    expect((await view.entries()).has(3)).toBe(false);
    now += 1;
    expect((await view.entries()).has(3)).toBe(true);
    expect(view.listings).toBe(2);
    expect((await view.entries({ fresh: true })).size).toBe(4);
    expect(view.listings).toBe(3);
  });

  it('that were left are taken over by a new listing, and those that ended meanwhile are passed over', async () => {
    const { store } = await storeWith(count - 2);
    const view = createTrialView(store);
    const options = { trials: all, left: new Set<number>(), lease, random };
    for (const trial of [count - 2, count - 1]) {
      const { claimed } = await claimNext(store, view, options);
      expect(claimed!.claim.trial).toBe(trial);
      await store.write(trialKeys.run(trial, 1, 'state.json'), '{}');
      await claimed!.claim.end({ release: true });
    }
    const again = await claimNext(store, view, options);
    expect(again.claimed).toMatchObject({ claim: { trial: count - 2, number: 2 }, runs: [1] });
    // Another process enters its result between the listing and the claim.
    const late = held(view);
    await late.entries();
    await store.write(trialKeys.result(count - 1), '{}');
    expect(await claimNext(store, { ...late, entries: () => view.entries() }, options)).toEqual({
      claimed: undefined,
      running: 1,
    });
    await again.claimed!.claim.end({ release: false });
  });

  it.each(['read', 'list'] as const)(
    'are free for others where the store fails right after one was taken over (%s)',
    async (request) => {
      const { store } = await storeWith(0);
      const options = { trials: [0], left: new Set<number>(), lease, random };
      const first = await takeClaim(store, 0, 1);
      await first!.end({ release: true });
      const isOfTrial = (key: string): boolean => key === trialKeys.result(0) || key === trialKeys.runs(0);
      const failing = {
        ...store,
        [request]: async (key: string) => {
          if (isOfTrial(key)) throw new Error('away');
          return store[request](key);
        },
      };
      await expect(claimNext(failing, createTrialView(failing), options)).rejects.toThrow('away');
      const { claimed, running } = await claimNext(store, createTrialView(store), options);
      expect([claimed?.claim.number, running]).toEqual([3, 0]);
      await claimed!.claim.end({ release: false });
    },
  );

  it('stop between two requests', async () => {
    const { store, requests } = await storeWith(3);
    const signal = AbortSignal.abort();
    const found = await claimNext(store, createTrialView(store), {
      trials: all,
      left: new Set(),
      lease,
      random,
      signal,
    });
    expect(found.claimed).toBeUndefined();
    expect(requests.get('create')).toBeUndefined();
    // The control.
    expect((await takeClaim(store, 3, 1))?.number).toBe(1);
  });
});

/** A view whose listing is never old, as where a listing takes seconds. */
function held(view: TrialView): TrialView {
  return {
    ...view,
    entries: (options) => {
      kept.set(view, kept.get(view) ?? view.entries(options));
      return kept.get(view)!;
    },
  };
}
const kept = new WeakMap<TrialView, ReturnType<TrialView['entries']>>();
