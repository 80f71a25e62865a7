import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { syncFolder } from '@fuzzqe/files';
import { everyCrash, observe } from '@fuzzqe/files/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type FactStore, type NewFactBatch, openFactLog } from '../index.ts';
import { batchesOf, lastChanges } from '../testing/index.ts';

vi.mock('node:fs/promises', async (original) =>
  (await import('@fuzzqe/files/testing')).observedFiles(await original()),
);

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'fuzzqe-facts-crash-'));
});
afterEach(() => rm(root, { recursive: true }));

const folder = (): string => join(root, 'facts');
const at = '2026-11-28T12:00:00Z';
const batch = (tail: string, more: Partial<NewFactBatch> = {}): NewFactBatch => ({
  at,
  changes: [{ does: 'add', head: 'h', relation: 'r', tail }],
  ...more,
});
const gone = (tail: string): NewFactBatch => ({
  at,
  changes: [{ does: 'remove', head: 'h', relation: 'r', tail }],
});
/** The last change of each fact, as `add x`. */
const netOf = async (store: FactStore): Promise<string[]> =>
  [...lastChanges(await batchesOf(store)).values()].map(({ does, tail }) => `${does} ${tail}`).sort();

/** Small files, so that a new one begins. */
const open = (path = folder()): Promise<FactStore> => openFactLog(path, { segmentBytes: 250 });

type Step = NewFactBatch | readonly NewFactBatch[] | 'compact' | 'reopen';

const programs: readonly (readonly [string, readonly Step[]])[] = [
  ['appends', [batch('a'), batch('b'), gone('a'), batch('c')]],
  [
    'appends at once',
    [
      [batch('a'), batch('b'), gone('a')],
      [batch('c'), gone('b')],
    ],
  ],
  [
    'compactions and appends',
    [batch('a', { idempotencyKey: 'k' }), gone('a'), batch('b'), 'compact', batch('c'), 'compact'],
  ],
  ['openings', [batch('a'), 'reopen', batch('b'), 'compact', 'reopen', gone('b')]],
];

/** Runs a program, and keeps for good which epochs it was told to be durable. */
async function run(steps: readonly Step[]): Promise<void> {
  let store = await open();
  for (const step of steps)
    if (step === 'compact') await store.compact();
    else if (step === 'reopen') {
      await store.close();
      store = await open();
    } else {
      const epochs = await Promise.all(
        (Array.isArray(step) ? step : [step]).map((each) => store.append(each)),
      );
      await mkdir(join(root, `told-${Math.max(...epochs)}`));
      await syncFolder(root);
    }
  await store.close();
}

/** Net facts by epoch, without a store. */
function netByEpoch(steps: readonly Step[]): ReadonlyMap<number, readonly string[]> {
  const plain = new Map<string, string>();
  const found = new Map<number, readonly string[]>([[0, []]]);
  for (const step of steps.flat()) {
    if (typeof step === 'string') continue;
    for (const { does, tail } of step.changes) plain.set(tail, `${does} ${tail}`);
    found.set(found.size, [...plain.values()].sort());
  }
  return found;
}

describe('a log of facts after a power cut', () => {
  it.each(programs)(
    'opens with each batch that was told to be durable, and none twice: %s',
    async (_, steps) => {
      const expected = netByEpoch(steps);
      const last = expected.size - 1;
      const found = new Set<number>();
      const states = await everyCrash(
        root,
        () => run(steps),
        async ({ folder: crashed, description, isFinished }) => {
          const told = (await readdir(crashed)).map((name) => Number(/^told-(\d+)$/.exec(name)?.[1] ?? 0));
          const store = await open(join(crashed, 'facts'));
          const { epoch } = store;
          found.add(epoch);
          expect(epoch, description).toBeGreaterThanOrEqual(Math.max(0, ...told));
          if (isFinished) expect(epoch, description).toBe(last);
          expect(await netOf(store), description).toEqual(expected.get(epoch));
          // The store goes on from there.
          expect(await store.append(batch('next')), description).toBe(epoch + 1);
          await store.compact();
          await store.close();
          const again = await open(join(crashed, 'facts'));
          expect(again.epoch, description).toBe(epoch + 1);
          expect(await netOf(again), description).toEqual([...expected.get(epoch)!, 'add next'].sort());
          await again.close();
        },
      );
      expect(states).toBeGreaterThan(20);
      expect([...found].filter((epoch) => epoch === 0 || epoch === last).sort()).toEqual([0, last]);
    },
  );
});

describe('a log of facts on a disk that fails', () => {
  /** What the store does between opening and closing. */
  const work = async (store: FactStore, told: string[]): Promise<void> => {
    for (const tail of ['b', 'c', 'd']) {
      const appended = await store.append(batch(tail)).catch((cause: unknown) => cause);
      if (appended instanceof Error) expect(appended).toMatchObject({ code: 'storage' });
      else told.push(`add ${tail}`);
    }
    const compacted = await store.compact().catch((cause: unknown) => cause);
    // What cannot be opened to be read is told as `data`.
    if (compacted instanceof Error)
      expect(compacted).toMatchObject({ code: expect.stringMatching(/^(storage|data)$/) });
  };

  it.each(['ENOSPC', 'EIO'])(
    'says so, and goes on with what it told: any one call ends in %s',
    async (code) => {
      let [failed, refused] = [0, 0];
      for (let call = 0; ; call += 1) {
        const store = await openFactLog(join(root, `${call}`), { segmentBytes: 250 });
        await store.append(batch('a'));
        const told = ['add a'];
        const calls = await observe(root, () => work(store, told), { call, code });
        if (told.length < 4) failed += 1;
        // Afterwards the disk is well again.
        const next = await store.append(batch('e')).catch((cause: unknown) => cause);
        if (typeof next === 'number') told.push('add e');
        else refused += 1;
        expect(await netOf(store), `call ${call}`).toEqual(told);
        await store.close();
        const again = await openFactLog(join(root, `${call}`));
        expect(await netOf(again), `call ${call}`).toEqual(told);
        await again.close();
        if (call >= calls.length) break;
      }
      expect(failed).toBeGreaterThan(3);
      // Only one call failed, so the store could be brought back.
      expect(refused).toBe(0);
    },
  );

  it('refuses further appends if a failed one cannot be taken back, until it is opened again', async () => {
    const store = await openFactLog(folder());
    await store.append(batch('a'));
    const calls = await observe(root, () => store.append(batch('b')));
    const write = calls.findIndex(({ kind }) => kind === 'write');
    // The write fails, and so does what takes it back.
    const failing = observe(root, () => store.append(batch('c')), {
      call: write,
      code: 'ENOSPC',
      lasts: true,
    });
    await expect(failing).rejects.toMatchObject({
      code: 'storage',
      hint: expect.stringContaining('open the store again'),
    });
    await expect(store.append(batch('d'))).rejects.toMatchObject({ code: 'storage' });
    await expect(store.compact()).rejects.toMatchObject({ code: 'storage' });
    expect(await netOf(store)).toEqual(['add a', 'add b']);
    await store.close();
    const lines: string[] = [];
    const again = await openFactLog(folder(), { log: (line) => lines.push(line) });
    expect(lines).toEqual([expect.stringContaining('of an append that did not end')]);
    expect(await netOf(again)).toEqual(['add a', 'add b']);
    expect(await again.append(batch('d'))).toBe(3);
    await again.close();
  });
});
