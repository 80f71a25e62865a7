import { describe, expect, it, vi } from 'vitest';
import { memoryStore } from '../testing/memory-store.ts';
import { readClaim, takeClaim } from './claim.ts';
import type { StorePatience, SweepStore } from './store/sweep-store.ts';

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
