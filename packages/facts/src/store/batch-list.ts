import { expectEpoch } from './expect-epoch.ts';
import type { FactBatch } from './fact-store.ts';
import { createNetChanges } from './net-changes.ts';

/** Batches in memory, in order. */
export interface BatchList {
  /** Epoch of the last batch; 0 of none. */
  readonly epoch: number;
  /** Adds the next batch, which is not copied. */
  add(batch: FactBatch): void;
  /** As `since` of a store; `expectOpen` is asked before each batch. */
  since(epoch: number, expectOpen: () => unknown): AsyncIterable<FactBatch>;
  /** As `compact` of a store. */
  compact(): void;
}

/**
 * Starts without batches.
 *
 * @param mostChanges changes after which the list compacts itself, if they are half of all. Default: it does not.
 */
export function createBatchList(mostChanges: number = Number.POSITIVE_INFINITY): BatchList {
  let net = 0;
  let more = 0;
  let batches: FactBatch[] = [];
  let epoch = 0;
  let compacted = 0;
  const compact = (): void => {
    if (epoch === compacted) return;
    const last = createNetChanges();
    for (const batch of batches) last.add(batch);
    const batch = { epoch, ...last.head(), changes: [...last.changes()] };
    batches = [batch];
    compacted = epoch;
    net = sizeOf(batch);
    more = 0;
  };
  return {
    get epoch() {
      return epoch;
    },
    add(batch) {
      batches.push(batch);
      epoch = batch.epoch;
      more += sizeOf(batch);
      if (more > Math.max(mostChanges, net)) compact();
    },
    since(after, expectOpen) {
      expectEpoch(after, epoch, compacted);
      return (async function* () {
        expectOpen();
        expectEpoch(after, epoch, compacted);
        // Batches that come and compaction change the list only after this.
        const found = batches.filter((batch) => batch.epoch > after);
        for (const batch of found) {
          expectOpen();
          yield batch;
        }
      })();
    },
    compact,
  };
}

function sizeOf({ changes, names = [] }: Pick<FactBatch, 'changes' | 'names'>): number {
  return changes.length + names.length;
}
