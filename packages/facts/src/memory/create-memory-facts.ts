import { randomUUID } from 'node:crypto';
import { checkBatch } from '../store/check-batch.ts';
import { encodeBatch } from '../store/encode-batch.ts';
import { closedError, expectEpoch } from '../store/expect-epoch.ts';
import type { FactBatch, FactStore } from '../store/fact-store.ts';
import { createNetChanges } from '../store/net-changes.ts';
import { createRecentKeys } from '../store/recent-keys.ts';

/**
 * Makes a store of facts in memory, with the contract of `openFactLog` except that it ends with the process.
 *
 * @example
 * const facts = createMemoryFacts();
 * const france = { head: 'France', relation: 'borders', tail: 'Spain' };
 * await facts.append({ at: '2026-11-28T12:00:00Z', changes: [{ does: 'add', ...france }] }); // 1
 */
export function createMemoryFacts(): FactStore {
  let batches: FactBatch[] = [];
  let epoch = 0;
  let compacted = 0;
  let isClosed = false;
  const keys = createRecentKeys();
  const expectOpen = (): void => {
    if (isClosed) throw closedError();
  };
  return {
    id: randomUUID(),
    get epoch() {
      return epoch;
    },
    async append(batch) {
      expectOpen();
      const checked = checkBatch(batch);
      // Refuses a batch that is too large.
      encodeBatch(checked);
      const { idempotencyKey: key } = checked;
      const earlier = key === undefined ? undefined : keys.get(key);
      if (earlier !== undefined) return earlier;
      epoch += 1;
      batches.push({ epoch, ...checked });
      if (key !== undefined) keys.set(key, epoch);
      return epoch;
    },
    since(after) {
      expectOpen();
      expectEpoch(after, epoch, compacted);
      return (async function* () {
        expectOpen();
        expectEpoch(after, epoch, compacted);
        // Appends and compaction change the list only after this.
        const found = batches.filter((batch) => batch.epoch > after);
        for (const batch of found) {
          expectOpen();
          yield batch;
        }
      })();
    },
    async compact() {
      expectOpen();
      if (epoch === compacted) return;
      const net = createNetChanges();
      for (const batch of batches) net.add(batch);
      batches = [{ epoch, ...net.head(), changes: [...net.changes()] }];
      compacted = epoch;
    },
    async close() {
      isClosed = true;
    },
  };
}
