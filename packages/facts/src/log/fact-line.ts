import { schema } from '@fuzzqe/core';
import { checkStoredHead, mostBatchBytes, type StoredHead, unreadable } from '../store/check-batch.ts';
import type { FactBatch, FactChange } from '../store/fact-store.ts';
import { crc32 } from './crc32.ts';
import { parseChanges } from './parse-changes.ts';

/** Ends a line. */
export const lineFeed = 10;

/** Most bytes of a line: a compacted batch exceeds the limit of a batch by less than one change. */
export const mostLineBytes: number = mostBatchBytes + 4 * 2 ** 20;

/** What the JSON of a batch begins with; no text in JSON has it, because quotes in texts are escaped. */
export const batchStart = ' {"epoch":';

/** What stands before the changes of a batch; no text in JSON has it either. */
const changesStart = ',"changes":[';

const headerSchema = schema.object({
  compacted: schema.integer({ min: 1 }),
  keys: schema.array(schema.object({ key: schema.string, epoch: schema.integer({ min: 1 }) })),
});

/** The first line of a segment that compaction wrote. */
export interface CompactionHeader {
  /** Epoch of the last batch in the segment. */
  readonly compacted: number;
  readonly keys: readonly (readonly [key: string, epoch: number])[];
}

/** A line: the CRC-32 of the JSON as 8 hexadecimal digits, a space, the JSON, a line feed. */
export function encodeLine(json: readonly Uint8Array[]): readonly Uint8Array[] {
  let crc = 0;
  for (const piece of json) crc = crc32(piece, crc);
  return [Buffer.from(`${crc.toString(16).padStart(8, '0')} `), ...json, Buffer.from('\n')];
}

/** The line of a batch; `body` is what `encodeBatch` gives. */
export function batchLine(
  epoch: number,
  flushed: number,
  body: readonly Uint8Array[],
): readonly Uint8Array[] {
  return encodeLine([Buffer.from(`${batchStart.slice(1)}${epoch},"flushed":${flushed},`), ...body]);
}

/** The first line of a compacted segment. */
export function headerLine({ compacted, keys }: CompactionHeader): readonly Uint8Array[] {
  const header = { compacted, keys: keys.map(([key, epoch]) => ({ key, epoch })) };
  return encodeLine([Buffer.from(JSON.stringify(header))]);
}

/** The JSON of a line without its line feed, or undefined if the checksum fails. */
export function verifiedJson(line: Buffer): string | undefined {
  const digits = line.toString('latin1', 0, 9);
  if (!/^[0-9a-f]{8} $/.test(digits)) return undefined;
  if (crc32(line.subarray(9)) !== Number.parseInt(digits, 16)) return undefined;
  return line.toString('utf8', 9);
}

/**
 * Reads the JSON of a batch.
 *
 * @param path the file and the line, for errors.
 * @throws FuzzError `data`.
 */
export function readStoredBatch(json: string, path: string): FactBatch {
  const changes: FactChange[] = [];
  const { flushed: _, ...head } = readStored(json, path, (change) => changes.push(change));
  return { ...head, changes };
}

/** Looks at all of the JSON of a batch, and keeps no change. Throws: `data`. */
export function readStoredHead(json: string, path: string): StoredHead {
  return readStored(json, path, () => {});
}

/** Reads the JSON of a header. Throws: `data`. */
export function readHeader(json: string, path: string): CompactionHeader {
  const header = schema.parse(headerSchema, parsed(json, path), { code: 'data', what: 'compaction', path });
  return { compacted: header.compacted, keys: header.keys.map(({ key, epoch }) => [key, epoch]) };
}

function readStored(json: string, path: string, take: (change: FactChange) => void): StoredHead {
  const end = json.indexOf(changesStart);
  if (end !== -1 && parseChanges(json, end + changesStart.length, take))
    return checkStoredHead(parsed(`${json.slice(0, end)}}`, path), path);
  // Says in full what is wrong, because nothing that this version writes comes here.
  throw unreadable(parsed(json, path), path);
}

function parsed(json: string, path: string): unknown {
  const hint = 'Another program changed this line. Restore the file from a copy.';
  return schema.parseJson(schema.anything, json, { code: 'data', what: 'line', path, hint });
}
