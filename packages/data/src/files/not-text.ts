import { isUtf8 } from 'node:buffer';
import { FuzzError } from '@fuzzqe/core';
import { packings } from './packings.ts';

/** What files begin with that are often taken for UTF-8 text, and how to mend that. */
const beginnings: readonly (readonly [bytes: readonly number[], what: string, hint: string])[] = [
  [[0xff, 0xfe], 'UTF-16', 'Convert the file: iconv -f utf-16 -t utf-8 FILE > NEW.'],
  [[0xfe, 0xff], 'UTF-16', 'Convert the file: iconv -f utf-16 -t utf-8 FILE > NEW.'],
  [[0x50, 0x4b, 0x03, 0x04], 'a zip archive', 'Let its name end in .zip, and it is unpacked as it is read.'],
  [[0x50, 0x41, 0x52, 0x31], 'Parquet', 'Let its name end in .parquet.'],
  [[0xfd, 0x37, 0x7a, 0x58, 0x5a], 'xz', 'Unpack it: unxz FILE.'],
];

/** Whether a text begins as UTF-16 without a mark does: its NULs make it UTF-8 as well, and names that nobody wrote. */
export function isUnmarkedUtf16(beginning: Buffer): boolean {
  return beginning.length > 1 && (beginning[0] === 0) !== (beginning[1] === 0);
}

/** Returns the error for a file whose line of that number is no text in UTF-8, by what the file begins with, and the line. */
export function notText(path: string, line: number, beginning: Buffer, text: Buffer): FuzzError {
  const begins = (bytes: readonly number[]): boolean => bytes.every((byte, i) => beginning[i] === byte);
  const refuse = (got: string, where: string, hint: string): FuzzError =>
    new FuzzError('data', `text: expected UTF-8, got ${got}`, { path: where, hint });
  for (const [ending, { name, magic }] of packings)
    if (begins(magic))
      return refuse(
        name,
        path,
        path.toLowerCase().endsWith(`.${ending}`)
          ? 'It was compressed twice: unpack it once.'
          : `Let its name end in .${ending}, and it is unpacked as it is read.`,
      );
  const known = beginnings.find(([bytes]) => begins(bytes));
  if (known !== undefined) return refuse(known[1], path, known[2]);
  if (isUnmarkedUtf16(beginning)) {
    const order = beginning[0] === 0 ? 'be' : 'le';
    return refuse('UTF-16', path, `Convert the file: iconv -f utf-16${order} -t utf-8 FILE > NEW.`);
  }
  const at = lengthOfText(text);
  return refuse(
    `byte ${at + 1} of the line as 0x${text[at]!.toString(16).padStart(2, '0')}, which is not`,
    `${path}:${line}`,
    'Convert the file, as with `iconv -f latin1 -t utf8`.',
  );
}

/** How many bytes of a line that is not UTF-8 are. */
function lengthOfText(text: Buffer): number {
  let [from, to] = [0, text.length];
  while (to - from > 1) {
    const middle = (from + to) >> 1;
    if (isBeginning(text.subarray(0, middle))) from = middle;
    else to = middle;
  }
  // The last character of the beginning may be cut off.
  while (from > 0 && !isUtf8(text.subarray(0, from))) from--;
  return from;
}

/** Whether bytes are UTF-8, but for a last character that may lack its end. */
function isBeginning(bytes: Buffer): boolean {
  return [0, 1, 2, 3].some((less) => less <= bytes.length && isUtf8(bytes.subarray(0, bytes.length - less)));
}

/**
 * Returns the error for a NUL, at that place (`path:line`): UTF-8 by the letter, and what a disk leaves of a file that was cut off.
 */
export function nulInText(place: string): FuzzError {
  return new FuzzError('data', 'text: expected UTF-8, got a NUL byte', {
    path: place,
    hint: "Is the file whole? If it is, take them out: tr -d '\\000' < FILE > NEW.",
  });
}
