import { createRandom, FuzzError } from '@fuzzqe/core';
import { describe, expect, it, vi } from 'vitest';
import { readClaim, takeClaim } from './claim.ts';
import { claimNext } from './claim-next.ts';
import type { StorePatience, SweepStore } from './store/sweep-store.ts';
import { memoryStore } from './testing/memory-store.ts';
import { createTrialView } from './trial-view.ts';

describe('the end of a claim', () => {
  it('frees the trial for others where it says so, and leaves it claimed where not', async () => {
    const { store } = memoryStore();
    const [freed, kept] = [(await takeClaim(store, 0, 1))!, (await takeClaim(store, 1, 1))!];
    expect(await readClaim(store, 0, 1)).toMatchObject({ state: 'held', isAlive: true });
    await freed.report({ step: 7, values: [] });
    await Promise.all([freed.end({ release: true }), kept.end({ release: false })]);
    expect(await readClaim(store, 0, 1)).toMatchObject({ state: 'released', isAlive: false, step: 7 });
    expect(await readClaim(store, 1, 1)).toMatchObject({ state: 'held', isAlive: true });
  });

  it('waits for what is under way, which it stops, and writes last', async () => {
    const { store } = memoryStore();
    const writes: string[] = [];
    let begun: (() => void) | undefined;
    const slow: SweepStore = {
      ...store,
      async write(key, text, patience) {
        const { state } = JSON.parse(text) as { state: string }; // as claims are
        writes.push(`${state} begins`);
        if (patience?.signal !== undefined) {
          begun?.();
          await new Promise((_, reject) =>
            patience.signal!.addEventListener('abort', () => reject(new Error('stopped')), { once: true }),
          ).finally(() => writes.push(`${state} ends`));
        }
        await store.write(key, text);
      },
    };
    const claim = (await takeClaim(slow, 0, 1))!;
    const isUnderWay = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const reported = claim.report({ step: 1, values: [] }, true);
    await isUnderWay;
    await claim.end({ release: true });
    await reported;
    expect(writes).toEqual(['held begins', 'held ends', 'released begins']);
    expect(await readClaim(store, 0, 1)).toMatchObject({ state: 'released' });
  });

  it('is one short attempt where the store is away, and no error', async () => {
    const { store } = memoryStore();
    const patience: (StorePatience | undefined)[] = [];
    const away: SweepStore = {
      ...store,
      write: (_, __, how) => {
        patience.push(how);
        return Promise.reject(new Error('away'));
      },
    };
    const claim = (await takeClaim(away, 0, 1))!;
    await claim.end({ release: true });
    expect(patience).toEqual([{ attempts: 1, timeout: 5000 }]);
  });

  it('gives no sign of life afterwards, and frees nothing that another has', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const { store, requests } = memoryStore();
      const claim = (await takeClaim(store, 0, 1, { lease: 4 }))!;
      const control = (await takeClaim(store, 1, 1, { lease: 4 }))!;
      await store.create('trials/000000-claim-000002.json', '{}');
      expect(await claim.isHeld()).toBe(false);
      await claim.end({ release: true });
      expect(await readClaim(store, 0, 1)).toMatchObject({ state: 'held' });
      requests.clear();
      await vi.advanceTimersByTimeAsync(1000);
      expect(await control.isHeld()).toBe(true);
      // The other's beat alone: it looks, and writes; then the look above.
      await vi.waitFor(() => expect(Object.fromEntries(requests)).toEqual({ read: 2, write: 1 }));
      await control.end({ release: false });
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('a claim that was asked for in vain', () => {
  it.each<[string, (create: () => Promise<boolean>) => void]>([
    ['was carried out', (create) => void create()],
    ['is carried out later', (create) => void setImmediate(create)],
    ['was not carried out', () => {}],
  ])('is free for others at once where a signal ended the request, which %s', async (_, later) => {
    const { store } = memoryStore();
    const stop = new AbortController();
    let isCut = false;
    const cut: SweepStore = {
      ...store,
      async create(key, text, patience) {
        if (isCut) return store.create(key, text, patience);
        isCut = true;
        later(() => store.create(key, text));
        stop.abort();
        throw new FuzzError('interrupted', 'stopped while the store was asked');
      },
    };
    await expect(takeClaim(cut, 0, 1, { signal: stop.signal })).rejects.toMatchObject({
      code: 'interrupted',
    });
    await new Promise(setImmediate);
    expect(await readClaim(store, 0, 1)).toMatchObject({ state: 'released', isAlive: false });
    const { claimed } = await claimNext(store, createTrialView(store), {
      ...{ trials: [0], left: new Set<number>(), lease: 1e6, random: createRandom('next') },
    });
    expect(claimed?.claim.number).toBe(2);
    await claimed!.claim.end({ release: false });
  });

  it('leaves what another has, and costs no request where the signal came first', async () => {
    const { store, requests } = memoryStore();
    const other = (await takeClaim(store, 0, 1))!;
    let asked = 0;
    const failing: SweepStore = {
      ...store,
      create(...given) {
        asked += 1;
        return asked === 1 ? Promise.reject(new Error('away')) : store.create(...given);
      },
    };
    await expect(takeClaim(failing, 0, 1)).rejects.toThrow('away');
    expect(await readClaim(store, 0, 1)).toMatchObject({ state: 'held', isAlive: true });
    await other.end({ release: false });
    requests.clear();
    expect(await takeClaim(store, 1, 1, { signal: AbortSignal.abort() })).toBeUndefined();
    expect(Object.fromEntries(requests)).toEqual({});
  });
});
