import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type FactChange, openFactLog } from '../index.ts';
import { batchesOf, lastChanges } from '../testing/index.ts';
import { compactLog } from './compact-log.ts';
import { recoverLog } from './recover-log.ts';

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
