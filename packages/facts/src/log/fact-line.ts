import { crc32 } from 'node:zlib';
import { schema } from '@fuzzqe/core';
import { mostBatchBytes } from '../store/check-batch.ts';
import { parsed, storedJson } from '../store/stored-batch.ts';

/** Ends a line. */
export const lineFeed = 10;

/** Most bytes of a line: a compacted batch exceeds the limit of a batch by less than one piece of JSON. */
export const mostLineBytes: number = mostBatchBytes + 4 * 2 ** 20;

/** What the JSON of a batch begins with; no text in JSON has it, because quotes in texts are escaped. */
export const batchStart = ' {"epoch":';

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
  return encodeLine(storedJson(epoch, flushed, body));
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

/** Reads the JSON of a header. Throws: `data`. */
export function readHeader(json: string, path: string): CompactionHeader {
  const header = schema.parse(headerSchema, parsed(json, path), { code: 'data', what: 'compaction', path });
  return { compacted: header.compacted, keys: header.keys.map(({ key, epoch }) => [key, epoch]) };
}
