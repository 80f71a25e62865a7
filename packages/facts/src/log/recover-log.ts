import { open, rm } from 'node:fs/promises';
import { FuzzError } from '@fuzzqe/core';
import { onDisk, openRegularFile, readFully, syncFolder } from '@fuzzqe/files';
import { createRecentKeys, type RecentKeys } from '../store/recent-keys.ts';
import { readStoredHead } from '../store/stored-batch.ts';
import { batchStart, lineFeed, readHeader, verifiedJson } from './fact-line.ts';
import { type Damage, damageError, readLines, type VerifiedLine } from './read-lines.ts';
import { findSegments, noteLine, type Segment } from './segment.ts';

/** What the segments of a folder hold. */
export interface RecoveredLog {
  readonly segments: Segment[];
  readonly epoch: number;
  /** Epoch up to which batches were joined; 0 if none were. */
  readonly compacted: number;
  readonly keys: RecentKeys;
}

/**
 * Reads all segments, and cuts off what the last append left that did not end.
 *
 * A damaged line of the last segment is cut off with all after it, unless a later line shows that the damaged one was durable.
 * Afterwards everything that was read is durable.
 *
 * @throws FuzzError `data`: any other damage, epochs that do not follow each other, what no version wrote.
 */
export async function recoverLog(folder: string, log: (line: string) => void): Promise<RecoveredLog> {
  const { segments: found, replaced } = await findSegments(folder);
  const segments = [...found];
  const keys = createRecentKeys();
  let epoch = 0;
  let compacted = 0;
  for (const segment of segments) {
    const isLast = segment === segments.at(-1);
    segment.last = epoch;
    let header = 0;
    const damage = await readAll(segment, (line) => {
      const where = `${segment.path}:${line.number}`;
      if (segment.kind === 'net' && line.number === 1) {
        const read = readHeader(line.json, where);
        for (const [key, of] of read.keys) keys.set(key, of);
        header = read.compacted;
        noteLine(segment, line.end - line.offset, undefined);
        return;
      }
      const batch = readStoredHead(line.json, where);
      // Only compaction leaves out the batches before.
      const isFirst = segment.kind === 'net' && line.number === 2;
      if (!isFirst && batch.epoch !== epoch + 1) throw gapError(where, epoch + 1, batch.epoch);
      epoch = batch.epoch;
      if (batch.idempotencyKey !== undefined) keys.set(batch.idempotencyKey, epoch);
      noteLine(segment, line.end - line.offset, epoch);
    });
    if (damage !== undefined) {
      if (!isLast || segment.kind === 'net') throw damageError(segment.path, damage);
      await expectNotFlushed(segment, damage, epoch + 1);
    }
    if (segment.kind === 'net') {
      if (header !== epoch || header === 0) throw gapError(segment.path, header, epoch);
      compacted = epoch;
    }
    if (isLast && segment.kind === 'log') await settle(segment, damage, log);
  }
  // Only now: until here they may be what a damaged compaction is restored from.
  for (const path of replaced) await rm(path, { force: true });
  await syncFolder(folder);
  return { segments, epoch, compacted, keys };
}

/** Gives each line of a segment to a function, and where the damage begins if there is any. */
async function readAll(segment: Segment, take: (line: VerifiedLine) => void): Promise<Damage | undefined> {
  const { handle, bytes } = await openRegularFile(segment.path);
  try {
    for await (const { lines, damage } of readLines(handle, { from: 0, to: bytes, number: 1 })) {
      for (const line of lines) take(line);
      if (damage !== undefined) return damage;
    }
    return undefined;
  } finally {
    await handle.close();
  }
}

/** Most bytes after damage that one group of appends can have written. */
const mostTail = 256 * 2 ** 20;

/** Refuses damage in a line that was durable: a line after it says so. */
async function expectNotFlushed(segment: Segment, damage: Damage, epoch: number): Promise<void> {
  const { path } = segment;
  const { handle, bytes } = await openRegularFile(path);
  try {
    const length = bytes - damage.offset;
    if (length > mostTail) throw damageError(path, damage);
    const tail = Buffer.alloc(length);
    await readFully(handle, tail, damage.offset, { path });
    for (let at = tail.indexOf(batchStart); at !== -1; at = tail.indexOf(batchStart, at + 1)) {
      const end = tail.indexOf(lineFeed, at);
      if (at < 8 || end === -1) continue;
      const json = verifiedJson(tail.subarray(at - 8, end));
      if (json !== undefined && readStoredHead(json, path).flushed >= epoch) throw damageError(path, damage);
    }
  } finally {
    await handle.close();
  }
}

/** Cuts off damage, and flushes the lines that were read: a process that was killed may have left them unflushed. */
async function settle(
  segment: Segment,
  damage: Damage | undefined,
  log: (line: string) => void,
): Promise<void> {
  await onDisk('facts', segment.path, async () => {
    const file = await open(segment.path, 'r+');
    try {
      const { size } = await file.stat();
      if (damage !== undefined) {
        await file.truncate(segment.bytes);
        log(
          `${segment.path}:${damage.number}: cut off ${size - segment.bytes} bytes of an append that did not end`,
        );
      }
      await file.datasync();
    } finally {
      await file.close();
    }
  });
}

function gapError(path: string, expected: number, got: number): FuzzError {
  return new FuzzError('data', `epoch: expected ${expected}, got ${got}`, {
    path,
    hint: 'Batches are missing or stand twice. Restore the segments from a copy.',
  });
}
