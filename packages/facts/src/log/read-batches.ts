import { rm } from 'node:fs/promises';
import { openRegularFile } from '@fuzzqe/files';
import type { FactBatch } from '../store/fact-store.ts';
import { readStoredBatch } from '../store/stored-batch.ts';
import { damageError, readLines } from './read-lines.ts';
import { markBefore, type Segment } from './segment.ts';

/** What to read: the batches of segments after an epoch, at most to the bytes that are durable when reading begins. */
export interface BatchRange {
  readonly segments: readonly Segment[];
  readonly after: number;
  /** Throws if the store cannot give the batches when reading begins. */
  readonly begin?: () => void;
  /** Throws if the store is closed. */
  readonly expectOpen?: () => void;
}

/** Reads batches in order; a segment that compaction replaces meanwhile stays until the reader has ended. */
export async function* readBatches(range: BatchRange): AsyncGenerator<FactBatch> {
  const { segments, after, begin, expectOpen } = range;
  begin?.();
  const wanted = segments
    .filter(({ last, marks }) => marks.length > 0 && last > after)
    .map((segment) => ({ segment, to: segment.bytes }));
  for (const { segment } of wanted) segment.readers += 1;
  try {
    for (const { segment, to } of wanted) {
      expectOpen?.();
      const { offset: from, number: first } = markBefore(segment, after);
      const { path } = segment;
      const { handle } = await openRegularFile(path);
      try {
        for await (const { lines, damage } of readLines(handle, { from, to, number: first })) {
          for (const { json, number } of lines) {
            const batch = readStoredBatch(json, `${path}:${number}`);
            if (batch.epoch > after) yield batch;
          }
          if (damage !== undefined) throw damageError(path, damage);
        }
      } finally {
        await handle.close();
      }
    }
  } finally {
    for (const { segment } of wanted) {
      segment.readers -= 1;
      await removeReplaced(segment);
    }
  }
}

/** Removes the file of a segment that compaction replaced, unless a reader needs it. */
export async function removeReplaced({ isReplaced, readers, path }: Segment): Promise<void> {
  // What cannot be removed is removed when the store is opened next.
  if (isReplaced && readers === 0) await rm(path, { force: true }).catch(() => {});
}
