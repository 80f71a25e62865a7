import { checkBatch } from './check-batch.ts';
import { encodeBatch } from './encode-batch.ts';
import type { FactChange, NewFactBatch } from './fact-store.ts';

/** A batch that waits, checked and encoded. */
export interface WaitingBatch {
  readonly idempotencyKey: string | undefined;
  readonly changes: readonly FactChange[];
  /** What `encodeBatch` gives. */
  readonly body: readonly Uint8Array[];
}

/** A batch with its epoch. */
export interface NumberedBatch extends WaitingBatch {
  readonly epoch: number;
}

/** Batches of which some may be there already. */
export interface NumberedGroup {
  /** The new batches. */
  readonly numbered: readonly NumberedBatch[];
  /** The epoch of each batch of the group. */
  readonly epochs: readonly number[];
}

/** Checks and encodes a batch of a caller. Throws: `data`. */
export function waitingBatch(batch: NewFactBatch): WaitingBatch {
  const checked = checkBatch(batch);
  const { idempotencyKey, changes } = checked;
  return { idempotencyKey, changes, body: encodeBatch(checked) };
}

/** Gives batches the epochs after `last`; a batch whose key is known, or stands earlier in the group, has that epoch. */
export function numberBatches(
  group: readonly WaitingBatch[],
  last: number,
  epochOf: (key: string) => number | undefined,
): NumberedGroup {
  const numbered: NumberedBatch[] = [];
  const inGroup = new Map<string, number>();
  const epochs = group.map((batch) => {
    const { idempotencyKey: key } = batch;
    const earlier = key === undefined ? undefined : (inGroup.get(key) ?? epochOf(key));
    if (earlier !== undefined) return earlier;
    const epoch = last + numbered.length + 1;
    if (key !== undefined) inGroup.set(key, epoch);
    numbered.push({ ...batch, epoch });
    return epoch;
  });
  return { numbered, epochs };
}
