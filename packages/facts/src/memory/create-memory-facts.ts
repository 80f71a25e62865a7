import { randomUUID } from 'node:crypto';
import { createBatchList } from '../store/batch-list.ts';
import { checkBatch } from '../store/check-batch.ts';
import { encodeBatch } from '../store/encode-batch.ts';
import { closedError } from '../store/expect-epoch.ts';
import type { FactStore } from '../store/fact-store.ts';
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
  const list = createBatchList();
  let isClosed = false;
  const keys = createRecentKeys();
  const expectOpen = (): void => {
    if (isClosed) throw closedError();
  };
  return {
    id: randomUUID(),
    get epoch() {
      return list.epoch;
    },
    async append(batch) {
      expectOpen();
      const checked = checkBatch(batch);
      // Refuses a batch that is too large.
      encodeBatch(checked);
      const { idempotencyKey: key } = checked;
      const earlier = key === undefined ? undefined : keys.get(key);
      if (earlier !== undefined) return earlier;
      const epoch = list.epoch + 1;
      list.add({ epoch, ...checked });
      if (key !== undefined) keys.set(key, epoch);
      return epoch;
    },
    since(after) {
      expectOpen();
      return list.since(after, expectOpen);
    },
    async compact() {
      expectOpen();
      list.compact();
    },
    async close() {
      isClosed = true;
    },
  };
}
