import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FuzzError } from '@fuzzqe/core';
import { temporaryName } from '@fuzzqe/files';

/** `log`: batches as they were appended. `net`: what compaction made of all segments with lower numbers. */
export type SegmentKind = 'log' | 'net';

/** A place in a segment from which reading can begin. */
interface Mark {
  readonly epoch: number;
  readonly offset: number;
  /** Number of the line. */
  readonly number: number;
}

/** A file of batches. */
export interface Segment {
  readonly kind: SegmentKind;
  readonly number: number;
  readonly path: string;
  /** Durable bytes, lines and the epoch of the last batch, or of the batch before the segment. */
  bytes: number;
  lines: number;
  last: number;
  /** One mark for each MiB, in order. */
  readonly marks: Mark[];
  /** Readers that need the file. */
  readers: number;
  /** Whether compaction replaced the segment, so that the last reader removes the file. */
  isReplaced: boolean;
}

const markEvery = 1 << 20;

/** A segment without lines. */
export function emptySegment(folder: string, kind: SegmentKind, number: number, last: number): Segment {
  const path = join(folder, segmentName(kind, number));
  return { kind, number, path, bytes: 0, lines: 0, last, marks: [], readers: 0, isReplaced: false };
}

/** Notes a line that is durable; `epoch` is undefined for a line without a batch. */
export function noteLine(segment: Segment, bytes: number, epoch: number | undefined): void {
  if (epoch !== undefined) {
    const mark = segment.marks.at(-1);
    if (mark === undefined || segment.bytes - mark.offset >= markEvery)
      segment.marks.push({ epoch, offset: segment.bytes, number: segment.lines + 1 });
    segment.last = epoch;
  }
  segment.bytes += bytes;
  segment.lines += 1;
}

/** Where to begin to read the batches after an epoch, of a segment that has some. */
export function markBefore({ marks }: Segment, epoch: number): Mark {
  return marks.findLast((mark) => mark.epoch <= epoch + 1) ?? marks[0]!;
}

/** The segments of a folder by number, and the paths of the segments that compaction replaced; removes unfinished files. */
export async function findSegments(
  folder: string,
): Promise<{ readonly segments: readonly Segment[]; readonly replaced: readonly string[] }> {
  const found: Segment[] = [];
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (temporaryName.test(name) && isOurs(name.replace(temporaryName, ''))) {
      await rm(path, { force: true });
      continue;
    }
    const [, kind, number] = /^(log|net)-(\d{6,12})\.ndjson$/.exec(name) ?? [];
    if (kind === undefined) continue;
    await expectPlainFile(path);
    found.push(emptySegment(folder, kind === 'net' ? 'net' : 'log', Number(number), 0));
  }
  found.sort((a, b) => a.number - b.number);
  const net = found.findLastIndex(({ kind }) => kind === 'net');
  const replaced = found.splice(0, Math.max(net, 0)).map(({ path }) => path);
  return { segments: found, replaced };
}

/** Refuses links, folders, pipes and devices: writing through a link would change another file. */
export async function expectPlainFile(path: string): Promise<void> {
  const found = await lstat(path);
  if (found.isFile()) return;
  const got = found.isSymbolicLink() ? 'a link' : found.isDirectory() ? 'a folder' : 'a pipe or a device';
  throw new FuzzError('data', `file: expected a regular file, got ${got}`, {
    path,
    hint: 'Put the file itself into the folder of the facts.',
  });
}

function segmentName(kind: SegmentKind, number: number): string {
  return `${kind}-${String(number).padStart(6, '0')}.ndjson`;
}

function isOurs(name: string): boolean {
  return name === 'store.json' || /^net-\d+\.ndjson$/.test(name);
}
