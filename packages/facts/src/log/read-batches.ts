import { rm } from 'node:fs/promises';
import { openRegularFile } from '@fuzzqe/files';
import type { FactBatch } from '../store/fact-store.ts';
import { readStoredBatch } from './fact-line.ts';
import { damageError, readLines } from './read-lines.ts';
import { markBefore, type Segment } from './segment.ts';

/** What to read: the batches of segments after an epoch, at most to the bytes that are durable now. */
export interface BatchRange {
  readonly segments: readonly Segment[];
  readonly after: number;
  /** Throws when the reader has to stop. */
  readonly expectOpen?: () => void;
}

/** Reads batches in order; a segment that compaction replaces meanwhile stays until the reader has ended. */
export async function* readBatches({ segments, after, expectOpen }: BatchRange): AsyncGenerator<FactBatch> {
  const wanted = segments
    .filter(({ last }) => last > after)
    .map((segment) => ({ segment, to: segment.bytes }));
  for (const { segment } of wanted) segment.readers += 1;
  try {
    for (const { segment, to } of wanted) {
      expectOpen?.();
      yield* readSegment(segment, to, after);
    }
  } finally {
    for (const { segment } of wanted) {
      segment.readers -= 1;
      await removeReplaced(segment);
    }
  }
}

/** Removes the file of a segment that compaction replaced, unless somebody reads it. */
export async function removeReplaced({ isReplaced, readers, path }: Segment): Promise<void> {
  // What cannot be removed is removed when the store is opened next.
  if (isReplaced && readers === 0) await rm(path, { force: true }).catch(() => {});
}

async function* readSegment(segment: Segment, to: number, after: number): AsyncGenerator<FactBatch> {
  const mark = markBefore(segment, after);
  if (mark === undefined) return;
  const { path } = segment;
  const { handle } = await openRegularFile(path);
  try {
    for await (const { lines, damage } of readLines(handle, { from: mark.offset, to, number: mark.number })) {
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
