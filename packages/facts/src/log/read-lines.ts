import type { FileHandle } from 'node:fs/promises';
import { FuzzError } from '@fuzzqe/core';
import { lineFeed, mostLineBytes, verifiedJson } from './fact-line.ts';

/** A line whose checksum holds. */
export interface VerifiedLine {
  /** Counted from 1. */
  readonly number: number;
  /** Where it begins in the file, and where the next line begins. */
  readonly offset: number;
  readonly end: number;
  readonly json: string;
}

/** Where the first line begins whose checksum fails, or that does not end. */
export interface Damage {
  readonly number: number;
  readonly offset: number;
  readonly got: string;
}

/** The lines of a block of a file; after damage nothing more is read. */
export interface Lines {
  readonly lines: readonly VerifiedLine[];
  readonly damage?: Damage;
}

/** Which bytes to read; `number` is that of the first line. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
  readonly number: number;
}

const blockBytes = 1 << 20;

/** Reads a part of a file block by block, and gives the lines that end in each block. */
export async function* readLines(
  file: FileHandle,
  { from, to, number: first }: LineRange,
  size: number = blockBytes,
): AsyncGenerator<Lines> {
  const block = Buffer.allocUnsafe(size);
  /** The beginning of a line that goes on in the next block. */
  let begun: Buffer[] = [];
  let offset = from;
  let number = first;
  for (let position = from; position < to; ) {
    const { bytesRead } = await file.read(block, 0, Math.min(size, to - position), position);
    if (bytesRead === 0) break;
    const read = block.subarray(0, bytesRead);
    const lines: VerifiedLine[] = [];
    let start = 0;
    for (let end = read.indexOf(lineFeed); end !== -1; end = read.indexOf(lineFeed, start)) {
      const rest = read.subarray(start, end);
      const json = verifiedJson(begun.length === 0 ? rest : Buffer.concat([...begun, rest]));
      if (json === undefined) {
        yield { lines, damage: { number, offset, got: 'a line whose checksum fails' } };
        return;
      }
      begun = [];
      start = end + 1;
      lines.push({ number, offset, end: position + start, json });
      offset = position + start;
      number += 1;
    }
    if (start < bytesRead) begun.push(Buffer.from(read.subarray(start)));
    position += bytesRead;
    yield { lines };
    if (position - offset > mostLineBytes) {
      yield { lines: [], damage: { number, offset, got: `more than ${mostLineBytes} bytes in one line` } };
      return;
    }
  }
  if (offset < to) yield { lines: [], damage: { number, offset, got: 'a line that does not end' } };
}

/** The error of a damaged line. */
export function damageError(path: string, { number, offset, got }: Damage): FuzzError {
  return new FuzzError('data', `line: expected a checksum, JSON and a line feed, got ${got}`, {
    path: `${path}:${number}`,
    hint: `Restore the file from a copy. To give up this batch and all later ones, cut the file to ${offset} bytes and remove later segments.`,
  });
}
