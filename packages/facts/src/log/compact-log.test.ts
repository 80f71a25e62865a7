import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type FactChange, openFactLog } from '../index.ts';
import { batchesOf, lastChanges } from '../testing/index.ts';
import { compactLog } from './compact-log.ts';
import { recoverLog } from './recover-log.ts';

it('a compaction with many new keys and names spreads them over several batches, each once and before the changes', async () => {
  const root = await mkdtemp(join(tmpdir(), 'fuzzqe-facts-compact-'));
  try {
    const folder = join(root, 'facts');
    const at = '2026-11-28T12:00:00Z';
    const keys = Array.from({ length: 300 }, (_, i) => `${i} ${'x'.repeat(50)}`);
    const store = await openFactLog(folder);
    for (let n = 0; n < 30; n += 1) {
      const own = keys.slice(10 * n, 10 * n + 10);
      await store.append({
        at,
        creates: { entities: own, relations: [`r${n}`] },
        names: own.map((key) => ({ key, label: `the ${key}` })),
        changes: [{ does: 'add', head: own[0]!, relation: `r${n}`, tail: own[1]! }],
      });
    }
    const before = lastChanges(await batchesOf(store));
    await store.close();
    const { segments, epoch } = await recoverLog(folder, () => {});
    const header = { compacted: epoch, keys: [] };
    await compactLog({ folder, number: 2, segments, header, batchBytes: 4000 });

    const compacted = await openFactLog(folder);
    const batches = await batchesOf(compacted);
    expect(batches.at(-1)?.epoch).toBe(30);
    expect(batches.flatMap(({ creates }) => creates?.entities ?? [])).toEqual(keys);
    expect(batches.flatMap(({ creates }) => creates?.relations ?? [])).toHaveLength(30);
    expect(batches.flatMap(({ names = [] }) => names.map(({ label }) => label))).toEqual(
      keys.map((key) => `the ${key}`),
    );
    expect(lastChanges(batches)).toEqual(before);
    const heads = batches.slice(0, -1).map((batch) => JSON.stringify(batch).length);
    expect(Math.max(...heads)).toBeLessThan(4500);
    expect(batches.length).toBeGreaterThan(10);
    expect(batches.slice(0, -1).every(({ changes }) => changes.length === 0)).toBe(true);
    await compacted.close();
  } finally {
    await rm(root, { recursive: true });
  }
});

it('a compaction above the size of a batch becomes several batches, the last with the epoch of the store', async () => {
  const root = await mkdtemp(join(tmpdir(), 'fuzzqe-facts-compact-'));
  try {
    const folder = join(root, 'facts');
    const at = '2026-11-28T12:00:00Z';
    const store = await openFactLog(folder);
    for (let n = 0; n < 40; n += 1) {
      const changes = Array.from({ length: 100 }, (_, i): FactChange => {
        const tail = `${(n * 70 + i) % 3000} ${'x'.repeat(100)}`;
        return { does: i % 3 === 0 ? 'remove' : 'add', head: 'h', relation: 'r', tail, source: `${n}` };
      });
      await store.append({ at, changes });
    }
    const before = lastChanges(await batchesOf(store));
    await store.close();
    const { segments, epoch } = await recoverLog(folder, () => {});
    const header = { compacted: epoch, keys: [] };
    await compactLog({ folder, number: 2, segments, header, batchBytes: 100_000 });

    const compacted = await openFactLog(folder);
    const batches = await batchesOf(compacted);
    expect(batches.length).toBeGreaterThan(2);
    expect(batches.map((batch) => batch.epoch)).toEqual(
      batches.map((_, i) => epoch - batches.length + 1 + i),
    );
    expect(lastChanges(batches)).toEqual(before);
    // Each fact stands once.
    expect(batches.flatMap(({ changes }) => changes).length).toBe(before.size);
    await expect(batchesOf(compacted, epoch - 1)).rejects.toMatchObject({ code: 'range' });
    expect(await batchesOf(compacted, epoch)).toEqual([]);
    await compacted.close();
  } finally {
    await rm(root, { recursive: true });
  }
});
