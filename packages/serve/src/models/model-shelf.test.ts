import { setTimeout as sleep } from 'node:timers/promises';
import type { ModelLease } from '@fuzzqe/api';
import { FuzzError } from '@fuzzqe/core';
import type { Engine } from '@fuzzqe/engine';
import { describe, expect, it, vi } from 'vitest';
import { createModelShelf, type ModelShelf, type ShelvedModel } from './model-shelf.ts';

/** Models of a hundred bytes each that count how often they were opened and closed. */
function shelfOf(names: readonly string[], modelBytes = 250, workers = 4) {
  const observer = { opened: vi.fn(), failed: vi.fn(), evicted: vi.fn() };
  const shelf = createModelShelf({ modelBytes, workers, observer });
  const open = new Set<string>();
  const opened: string[] = [];
  let mostOpen = 0;
  const model = (name: string, version = '1', fails?: () => unknown): ShelvedModel => ({
    name,
    version,
    bytes: 100,
    async open() {
      await sleep(1);
      const failure = fails?.();
      if (failure !== undefined) throw failure;
      opened.push(name);
      open.add(name);
      mostOpen = Math.max(mostOpen, open.size);
      let ready = true;
      const engine = {
        get ready() {
          return ready;
        },
        async close() {
          ready = false;
          open.delete(name);
        },
      };
      // The shelf looks at nothing else.
      return engine as unknown as Engine;
    },
  });
  const stocked = Promise.all(names.map((name) => shelf.shelve(model(name))));
  return { shelf, observer, open, opened, model, stocked, mostOpen: () => mostOpen };
}

const use = async (shelf: ModelShelf, name?: string): Promise<ModelLease> => shelf.acquire(name);
const statesOf = (shelf: ModelShelf): unknown =>
  Object.fromEntries(shelf.closed().map(({ name, status }) => [name, status]));

describe('a shelf of models', () => {
  it('opens in advance what fits, and the others when they are asked for', async () => {
    const { shelf, opened, stocked } = shelfOf(['a', 'b', 'c']);
    await stocked;
    expect(shelf.ready).toBe(false);
    expect(() => shelf.acquire('a')).toThrow(expect.objectContaining({ code: 'runtime', passing: true }));
    await shelf.warmUp(16);
    expect([shelf.ready, opened, shelf.names, shelf.bytes]).toEqual([true, ['a', 'b'], ['a', 'b', 'c'], 200]);
    expect(statesOf(shelf)).toEqual({ c: 'closed' });
    const lease = shelf.acquire('a');
    // At once: a model that is open is waited for by nobody.
    expect(lease).toMatchObject({ name: 'a', version: '1' });
    (await lease).release();
    const late = await use(shelf, 'c');
    expect([opened, statesOf(shelf)]).toEqual([['a', 'b', 'c'], { b: 'closed' }]);
    late.release();
    expect(() => shelf.acquire('d')).toThrow(expect.objectContaining({ code: 'not-found' }));
    await shelf.close();
  });

  it('closes no other model for one whose check fails, and checks none while there is room', async () => {
    const { shelf, observer, model, stocked } = shelfOf(['a', 'b']);
    await stocked;
    const damaged = new FuzzError('bundle', 'altered');
    const check = vi.fn(() => Promise.reject(damaged));
    await shelf.shelve({ ...model('c'), check });
    await shelf.warmUp(2);
    await expect(use(shelf, 'c')).rejects.toMatchObject({ code: 'bundle', cause: damaged });
    expect([check.mock.calls.length, observer.evicted.mock.calls]).toEqual([1, []]);
    expect([shelf.bytes, statesOf(shelf)]).toEqual([200, { c: 'failed' }]);
    const mended = vi.fn(() => Promise.resolve());
    await shelf.shelve({ ...model('c', '2'), check: mended });
    (await use(shelf, 'c')).release();
    expect([mended.mock.calls.length, observer.evicted.mock.calls.length]).toEqual([1, 1]);
    await shelf.shelve({ ...model('d'), bytes: 10, check });
    (await use(shelf, 'd')).release();
    expect(check).toHaveBeenCalledTimes(1);
    await shelf.close();
  });

  it('opens a model once for all who ask while it is opened', async () => {
    const { shelf, opened, stocked } = shelfOf(['a', 'b']);
    await stocked;
    await shelf.warmUp(1);
    const leases = await Promise.all(Array.from({ length: 20 }, () => use(shelf, 'b')));
    expect(opened).toEqual(['a', 'b']);
    for (const lease of leases) lease.release();
    await shelf.close();
  });

  it('closes the model that was asked for longest ago, and never one with an answer under way', async () => {
    const { shelf, open, observer, stocked } = shelfOf(['a', 'b', 'c']);
    await stocked;
    await shelf.warmUp(2);
    const first = await use(shelf, 'a');
    (await use(shelf, 'b')).release();
    // `a` was asked for before `b`, and is in use.
    const third = await use(shelf, 'c');
    expect([[...open], observer.evicted.mock.calls]).toEqual([['a', 'c'], [['b']]]);
    // Both are in use: `b` waits until one has its answer.
    let isOpen = false;
    const again = use(shelf, 'b').then((lease) => {
      isOpen = true;
      return lease;
    });
    await sleep(20);
    expect([isOpen, first.engine.ready, third.engine.ready]).toEqual([false, true, true]);
    first.release();
    (await again).release();
    expect([...open].sort()).toEqual(['b', 'c']);
    third.release();
    await shelf.close();
  });

  it('stays within its bytes under load, and answers everybody by an open model', async () => {
    const names = Array.from({ length: 12 }, (_, i) => `m${i}`);
    const { shelf, observer, stocked, mostOpen } = shelfOf(names, 450);
    await stocked;
    await shelf.warmUp(16);
    const late: string[] = [];
    await Promise.all(
      Array.from({ length: 8 }, async (_, client) => {
        for (let i = 0; i < 40; i++) {
          const lease = await use(shelf, names[(client * 7 + i * 5) % names.length]!);
          await sleep(i % 3);
          if (!lease.engine.ready) late.push(lease.name);
          lease.release();
        }
      }),
    );
    expect(late).toEqual([]);
    expect(observer.evicted.mock.calls.length).toBeGreaterThan(10);
    expect(mostOpen()).toBeLessThanOrEqual(4);
    expect(shelf.bytes).toBeLessThanOrEqual(400);
    await shelf.close();
  });

  it('lets a broken model fail by itself, says it once, and tries it again after another version', async () => {
    const { shelf, observer, model, stocked } = shelfOf(['a', 'b']);
    await stocked;
    const broken = vi.fn(() => new FuzzError('bundle', 'weights.bin: altered', { path: '/secret/place' }));
    await shelf.shelve(model('c', '1', broken));
    shelf.shelveFailed('d', new FuzzError('bundle', 'no manifest'));
    await shelf.warmUp(16);
    expect(shelf.ready).toBe(true);
    for (let i = 0; i < 3; i++)
      await expect(use(shelf, 'c')).rejects.toMatchObject({
        passing: false,
        toCallers:
          'model c cannot be opened. Files of the bundle are missing, altered, damaged or not signed.',
      });
    await expect(use(shelf, 'd')).rejects.toMatchObject({ code: 'bundle' });
    expect(broken).toHaveBeenCalledTimes(1);
    expect(observer.failed.mock.calls.map(([name]) => name)).toEqual(['d', 'c']);
    expect(shelf.closed().filter(({ status }) => status === 'failed')).toEqual([
      { name: 'c', version: '1', status: 'failed', reason: expect.stringContaining('altered') },
      { name: 'd', version: '0', status: 'failed', reason: expect.stringContaining('missing') },
    ]);
    expect(JSON.stringify(shelf.closed())).not.toContain('secret');
    (await use(shelf, 'a')).release();
    await shelf.shelve(model('c', '2'));
    const mended = await use(shelf, 'c');
    mended.release();
    expect(mended.version).toBe('2');
    await shelf.close();
  });

  it('tries a model again at once that failed for a lack of memory', async () => {
    const { shelf, model, stocked } = shelfOf(['a']);
    await stocked;
    let failures = 1;
    const once = () =>
      failures-- > 0 ? new FuzzError('runtime', 'no memory', { passing: true }) : undefined;
    await shelf.shelve(model('b', '1', once));
    await shelf.warmUp(1);
    await expect(use(shelf, 'b')).rejects.toMatchObject({ passing: true });
    (await use(shelf, 'b')).release();
    await shelf.close();
  });

  it('says what is wrong where no model opens', async () => {
    const { shelf } = shelfOf([]);
    shelf.shelveFailed('a', new FuzzError('bundle', 'no manifest'));
    await expect(shelf.warmUp(16)).rejects.toMatchObject({ message: 'no manifest' });
    expect(shelf.ready).toBe(false);
  });

  it('refuses requests for more models than may wait to be opened', async () => {
    const names = Array.from({ length: 80 }, (_, i) => `m${i}`);
    const { shelf, stocked } = shelfOf(names, 100_000, 1);
    await stocked;
    await shelf.warmUp(1);
    const all = await Promise.allSettled(names.slice(1).map((name) => use(shelf, name)));
    for (const each of all) if (each.status === 'fulfilled') each.value.release();
    const refused = all.filter((each) => each.status === 'rejected').map(({ reason }) => reason);
    expect(refused.length).toBe(14);
    expect(refused[0]).toMatchObject({ code: 'overloaded', retryAfter: expect.any(Number) });
    // A lack of turns is no fault of a bundle.
    expect(shelf.closed().map(({ status }) => status)).not.toContain('failed');
    (await use(shelf, names[79]!)).release();
    await shelf.close();
  });

  it('takes another version of an open model, and closes the former with its last answer', async () => {
    const { shelf, model, stocked } = shelfOf(['a', 'b']);
    await stocked;
    await shelf.warmUp(2);
    const before = await use(shelf, 'a');
    await shelf.shelve(model('a', '2'));
    expect([before.engine.ready, (await use(shelf, 'a')).version]).toEqual([true, '2']);
    before.release();
    await expect.poll(() => before.engine.ready).toBe(false);
    await expect(
      shelf.shelve(model('a', '3', () => new FuzzError('bundle', 'altered'))),
    ).rejects.toMatchObject({ message: 'altered' });
    expect((await use(shelf, 'a')).version).toBe('2');
    void shelf.close();
  });
});
