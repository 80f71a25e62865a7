import type { RecentKeys } from '../store/recent-keys.ts';

/** A batch that waits, encoded. */
export interface WaitingBatch {
  readonly idempotencyKey: string | undefined;
  readonly body: readonly Uint8Array[];
}

/** A batch with its epoch. */
export interface NumberedBatch extends WaitingBatch {
  readonly epoch: number;
}

/** What a queue needs of a log. */
export interface AppendTarget {
  readonly keys: RecentKeys;
  /** Epoch of the last durable batch. */
  epoch(): number;
  /** Makes batches durable with one flush, and notes their epochs. */
  write(batches: readonly NumberedBatch[]): Promise<void>;
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
export function createAppendQueue({ keys, epoch, write }: AppendTarget): AppendQueue {
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
    const numbered: NumberedBatch[] = [];
    const told: (readonly [Entry, number])[] = [];
    const inGroup = new Map<string, number>();
    for (const entry of group) {
      const { idempotencyKey: key, body } = entry;
      const earlier = key === undefined ? undefined : (inGroup.get(key) ?? keys.get(key));
      const own = epoch() + numbered.length + 1;
      told.push([entry, earlier ?? own]);
      if (earlier !== undefined) continue;
      if (key !== undefined) inGroup.set(key, own);
      numbered.push({ idempotencyKey: key, body, epoch: own });
    }
    try {
      if (numbered.length > 0) await write(numbered);
      for (const [{ resolve }, at] of told) resolve(at);
    } catch (cause) {
      // What an earlier group wrote is durable.
      for (const [{ resolve, reject }, at] of told) at <= epoch() ? resolve(at) : reject(cause);
    }
  };

  const run = async (): Promise<void> => {
    // Calls of the same turn join the first group.
    await undefined;
    while (waiting.length > 0) await writeGroup(takeGroup());
    running = undefined;
  };

  return {
    append: ({ idempotencyKey, body }) =>
      new Promise<number>((resolve, reject) => {
        waiting.push({ idempotencyKey, body, resolve, reject });
        running ??= run();
      }),
    drained: () => running ?? Promise.resolve(),
  };
}
