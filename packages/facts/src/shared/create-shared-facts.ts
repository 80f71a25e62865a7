import { FuzzError } from '@fuzzqe/core';
import { createAppendQueue } from '../store/append-queue.ts';
import { encodeNet } from '../store/encode-net.ts';
import { closedError, expectEpoch } from '../store/expect-epoch.ts';
import type { FactBatch, SharedFactStore } from '../store/fact-store.ts';
import { createNetChanges } from '../store/net-changes.ts';
import { waitingBatch } from '../store/number-batches.ts';
import { createSerial } from '../store/serial.ts';
import { createWatch } from './create-watch.ts';
import type { Head, SharedPlace } from './shared-place.ts';

/** How a shared store is used. */
export interface SharedOptions {
  /** Milliseconds between two looks for batches of others. */
  readonly pollEvery: number;
}

/** A store of facts in a place that several processes write to; `first` is how far the place is. */
export function createSharedFacts(
  place: SharedPlace,
  first: Head,
  { pollEvery }: SharedOptions,
): SharedFactStore {
  let { epoch, compacted } = first;
  let closing: Promise<void> | undefined;
  const listeners = new Set<(epoch: number) => void>();
  const expectOpen = (): void => {
    if (closing !== undefined) throw closedError(place.path);
  };
  /** Takes notice of what others did. */
  const note = (found: Head): void => {
    if (found.epoch < epoch) throw wentBack(place.path, epoch, found.epoch);
    compacted = found.compacted;
    if (found.epoch === epoch) return;
    epoch = found.epoch;
    for (const listener of listeners) listener(epoch);
  };
  // One after the other, so that a look never takes a batch of this process for one of another.
  const serial = createSerial();
  const compactions = createSerial();
  const queue = createAppendQueue({
    write: (group) =>
      serial(async () => {
        const { after, epochs } = await place.write(group, note);
        epoch = after;
        return epochs;
      }),
  });
  const watch = createWatch({
    every: pollEvery,
    look: () => serial(async () => note(await place.head())),
    // Of its own batches a process hears as well.
    listen: (hint) => place.listen?.((of) => of > epoch && hint()),
  });

  const compact = async (): Promise<void> => {
    const from = await place.head();
    if (from.epoch === from.compacted) return;
    const net = createNetChanges();
    for await (const batch of place.read(0)) {
      if (batch.epoch > from.epoch) break;
      net.add(batch);
    }
    await place.replace({ from, bodies: await encodeNet(net) });
    compacted = Math.max(compacted, from.epoch);
  };

  return {
    id: place.id,
    get epoch() {
      return epoch;
    },
    async append(batch) {
      expectOpen();
      return await queue.append(waitingBatch(batch));
    },
    since(after) {
      expectOpen();
      expectEpoch(after, epoch, compacted);
      return (async function* () {
        expectOpen();
        for await (const batch of inOrder(place, after)) {
          expectOpen();
          yield batch;
        }
      })();
    },
    async compact() {
      expectOpen();
      await compactions(compact);
    },
    arrivals(onEpoch) {
      expectOpen();
      // The same function may listen twice.
      const listener = (of: number): void => onEpoch(of);
      listeners.add(listener);
      watch.start();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) watch.stop();
      };
    },
    close() {
      closing ??= (async () => {
        listeners.clear();
        watch.stop();
        await queue.drained();
        await compactions(async () => {});
        await serial(async () => {});
        await place.close();
      })();
      return closing;
    },
  };
}

/** The batches after an epoch, each checked to be the next. Throws: `range`; `data`, a batch that is missing. */
async function* inOrder(place: SharedPlace, after: number): AsyncIterable<FactBatch> {
  const expectHead = async (): Promise<number> => {
    const { epoch, compacted } = await place.head();
    expectEpoch(after, epoch, compacted);
    return epoch;
  };
  const end = await expectHead();
  let last = after;
  for await (const batch of place.read(after)) {
    // Only compaction leaves out the batches before.
    if (batch.epoch !== last + 1 && last !== 0) {
      await expectHead();
      throw missing(place.path, last + 1, `${batch.epoch}`);
    }
    last = batch.epoch;
    yield batch;
  }
  if (last < end) throw missing(place.path, last + 1, 'none');
}

function missing(path: string, epoch: number, got: string): FuzzError {
  return new FuzzError('data', `facts: expected the batch of epoch ${epoch}, got ${got}`, {
    path,
    hint: 'Another program removed batches. Restore them from a copy.',
  });
}

function wentBack(path: string, epoch: number, found: number): FuzzError {
  return new FuzzError('data', `facts: expected epoch ${epoch} or a later one, got ${found}`, {
    path,
    hint: 'The server has an older state than before, such as a restored copy. Restart all servers with its facts.',
  });
}
