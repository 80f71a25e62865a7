import { isUtf8 } from 'node:buffer';
import { FuzzError } from '@fuzzqe/core';
import { raiseLimit, readLimits } from '@fuzzqe/files';
import { isUnmarkedUtf16, notText, nulInText } from './not-text.ts';
import { readBytes } from './read-bytes.ts';

/**
 * Gives a UTF-8 text file in blocks of whole lines, with the number of each block's first line; `.gz` is unzipped.
 *
 * Lines are numbered from 1. Every line ends with a line feed, the last one, too; the byte order mark is left out.
 * `visit` gives how many of a block's bytes it took: what it leaves comes again at the head of the next block, so that
 * what runs over several lines is never cut. At the end of the file it must take all.
 *
 * Time is linear in the length of the file, however much is left again and again.
 *
 * @throws FuzzError `data`: what `readBytes` throws; with `path:line`, bytes that are not UTF-8, a NUL, or a line that is longer
 *   than `readLimits` admits. Where there is `onBad`, it is told of lines that are no text, which come empty. Whatever `visit` throws.
 */
export async function forEachLineBlock(
  path: string,
  visit: (block: Buffer, firstLine: number, isLast: boolean) => number,
  onRead?: (bytes: number) => void,
  onBad?: (error: FuzzError) => void,
): Promise<void> {
  const { line: longest } = readLimits();
  let waiting: Buffer[] = [];
  /** Bytes that wait, those of them that are whole lines, and how many there must be before they are visited. */
  let [size, whole, wanted] = [0, 0, 0];
  let line = 1;
  let isFirst = true;
  let beginning: Buffer = Buffer.alloc(0);

  /** Gives whole lines to be visited, and keeps what is not taken. */
  const take = (lines: Buffer, isLast: boolean): Buffer => {
    const start = isFirst && lines[0] === 0xef && lines[1] === 0xbb && lines[2] === 0xbf ? 3 : 0;
    // A copy: whoever visits may change the block.
    if (isFirst) {
      beginning = Buffer.from(lines.subarray(0, 8));
      if (isUnmarkedUtf16(beginning)) throw notText(path, line, beginning, lines);
    }
    isFirst = false;
    const block = isLegible(lines.subarray(start)) ? lines.subarray(start) : legible(lines.subarray(start));
    const taken = visit(block, line, isLast);
    line += countLines(block.subarray(0, taken));
    return block.subarray(taken);
  };

  /** The block without the bytes of lines that are no text: empty lines stand for these. */
  const legible = (block: Buffer): Buffer => {
    const kept: Buffer[] = [];
    for (let start = 0, number = line; start < block.length; number++) {
      const end = block.indexOf(0x0a, start) + 1;
      const text = block.subarray(start, end);
      start = end;
      if (isLegible(text)) kept.push(text);
      else {
        const nul = text.indexOf(0);
        const error =
          isUtf8(text) && nul >= 0 ? nulInText(`${path}:${number}`) : notText(path, number, beginning, text);
        // A file of another kind has no lines to pass over.
        if (onBad === undefined || error.path === path) throw error;
        onBad(error);
        kept.push(Buffer.from('\n'));
      }
    }
    return Buffer.concat(kept);
  };

  const split = (chunk: Buffer): void => {
    const end = chunk.lastIndexOf(0x0a) + 1;
    waiting.push(chunk);
    if (end > 0) whole = size + end;
    size += chunk.length;
    if (size - whole > longest) throw tooLong(Buffer.concat(waiting).subarray(0, whole), path, line, longest);
    if (whole === 0 || size < wanted) return;
    const bytes = Buffer.concat(waiting);
    const left = take(bytes.subarray(0, whole), false);
    waiting = [bytes.subarray(whole - left.length)];
    size = waiting[0]!.length;
    // What is left is looked at again only when as much has come: else one long record costs the square of its length.
    wanted = left.length > 0 ? Math.min(2 * size, longest + 1) : 0;
    whole = left.length;
  };
  await readBytes(path, split, onRead);
  const last = Buffer.concat(waiting);
  if (last.length > 0) take(last.at(-1) === 0x0a ? last : Buffer.concat([last, Buffer.from('\n')]), true);
}

function countLines(block: Buffer): number {
  let count = 0;
  for (let at = block.indexOf(0x0a); at >= 0; at = block.indexOf(0x0a, at + 1)) count++;
  return count;
}

function tooLong(before: Buffer, path: string, firstLine: number, longest: number): FuzzError {
  return new FuzzError('data', `line: expected at most ${longest} bytes, got more`, {
    path: `${path}:${firstLine + countLines(before)}`,
    hint: raiseLimit('line'),
  });
}

/** Whether bytes are UTF-8 without a NUL. */
function isLegible(block: Buffer): boolean {
  return isUtf8(block) && !block.includes(0);
}
