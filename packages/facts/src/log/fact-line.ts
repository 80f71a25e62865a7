import { crc32 } from 'node:zlib';
import { schema } from '@fuzzqe/core';
import { checkStoredHead, mostBatchBytes, type StoredHead, unreadable } from '../store/check-batch.ts';
import type { FactBatch, FactChange } from '../store/fact-store.ts';
import { parseChanges } from './parse-changes.ts';

/** Ends a line. */
export const lineFeed = 10;

/** Most bytes of a line: a compacted batch exceeds the limit of a batch by less than one piece of JSON. */
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
  let told = 0;
  for (let at = 0; at < 8; at += 1) told = told * 16 + digitOf(line[at] ?? 0);
  if (line[8] !== 0x20 || told !== crc32(line.subarray(9))) return undefined;
  return line.toString('utf8', 9);
}

/** The value of a lower-case hexadecimal digit; NaN for any other byte. */
function digitOf(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  return byte >= 0x61 && byte <= 0x66 ? byte - 0x61 + 10 : Number.NaN;
}

/**
 * Reads the JSON of a batch.
 *
 * @param path the file and the line, for errors.
 * @throws FuzzError `data`.
 */
export function readStoredBatch(json: string, path: string): FactBatch {
  const changes: FactChange[] = [];
  const { epoch, at, by, idempotencyKey } = readStored(json, path, (change) => changes.push(change));
  return { epoch, at, ...given(by, idempotencyKey), changes };
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
    return plainHead(json.slice(0, end)) ?? checkStoredHead(parsed(`${json.slice(0, end)}}`, path), path);
  // Says in full what is wrong, because nothing that this version writes comes here.
  throw unreadable(parsed(json, path), path);
}

/** A head without escapes, at a time as JavaScript writes it: as most are, and read several times faster. */
const plain =
  /^\{"epoch":([1-9]\d{0,14}),"flushed":(\d{1,15}),"at":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z)"(?:,"by":"([^"\\]{1,1000})")?(?:,"idempotencyKey":"([^"\\]{1,255})")?$/;

function plainHead(json: string): StoredHead | undefined {
  const [, epoch, flushed, at, by, idempotencyKey] = plain.exec(json) ?? [];
  if (at === undefined || Number.isNaN(Date.parse(at))) return undefined;
  return { epoch: Number(epoch), flushed: Number(flushed), at, ...given(by, idempotencyKey) };
}

const nothing = {};

/** Those of two fields that are there. */
function given(
  by: string | undefined,
  idempotencyKey: string | undefined,
): Pick<FactBatch, 'by' | 'idempotencyKey'> {
  if (by === undefined && idempotencyKey === undefined) return nothing;
  return {
    ...(by === undefined ? nothing : { by }),
    ...(idempotencyKey === undefined ? nothing : { idempotencyKey }),
  };
}

function parsed(json: string, path: string): unknown {
  const hint = 'Another program changed this line. Restore the file from a copy.';
  return schema.parseJson(schema.anything, json, { code: 'data', what: 'line', path, hint });
}
