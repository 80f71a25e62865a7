import type { WaitingBatch } from './number-batches.ts';

/** What a queue needs of a store. */
export interface AppendTarget {
  /** Makes batches durable with one flush, and gives the epoch of each; batches whose keys are known are not written. */
  write(batches: readonly WaitingBatch[]): Promise<readonly number[]>;
  /** The epoch of a durable batch by its key, which a failed write leaves as it is. */
  earlier?(idempotencyKey: string): number | undefined;
}

interface Entry extends WaitingBatch {
  readonly resolve: (epoch: number) => void;
  readonly reject: (cause: unknown) => void;
}

/** Bytes after which a group takes no further batch. */
const groupBytes = 16 * 2 ** 20;

/** Groups concurrent appends. */
export interface AppendQueue {
  append(batch: WaitingBatch): Promise<number>;
  /** Resolves when nothing waits. */
  drained(): Promise<void>;
}

/** Appends that wait while a group is written form the next group; groups keep the order of the calls. */
export function createAppendQueue({ write, earlier }: AppendTarget): AppendQueue {
  let waiting: Entry[] = [];
  let running: Promise<void> | undefined;

  const takeGroup = (): Entry[] => {
    let bytes = 0;
    const ends = waiting.findIndex(({ body }) => {
      const isFull = bytes >= groupBytes;
      for (const { length } of body) bytes += length;
      return isFull;
    });
    const group = ends === -1 ? waiting : waiting.slice(0, ends);
    waiting = ends === -1 ? [] : waiting.slice(ends);
    return group;
  };

  const writeGroup = async (group: readonly Entry[]): Promise<void> => {
    try {
      const epochs = await write(group);
      for (const [i, { resolve }] of group.entries()) resolve(epochs[i]!);
    } catch (cause) {
      for (const { idempotencyKey: key, resolve, reject } of group) {
        const epoch = key === undefined ? undefined : earlier?.(key);
        if (epoch === undefined) reject(cause);
        else resolve(epoch);
      }
    }
  };

  const run = async (): Promise<void> => {
    // Calls of the same turn join the first group.
    await undefined;
    while (waiting.length > 0) await writeGroup(takeGroup());
    running = undefined;
  };

  return {
    append: (batch) =>
      new Promise<number>((resolve, reject) => {
        waiting.push({ ...batch, resolve, reject });
        running ??= run();
      }),
    drained: () => running ?? Promise.resolve(),
  };
}
