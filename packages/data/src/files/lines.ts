import { FuzzError } from '@fuzzqe/core';
import { forEachLineBlock } from './line-blocks.ts';

/**
 * Reads a UTF-8 text file line by line, without holding all of it; a name that ends in `.gz` is unzipped on the way.
 *
 * Lines are numbered from 1 and come without their line end (`\n` or `\r\n`) or the byte order mark. A line that is
 * not ended by the end of the file is a line, too.
 *
 * @throws FuzzError `data`: a file that cannot be read or unzipped, or, with `path:line`, bytes that are not UTF-8.
 *   Whatever `visit` throws.
 */
export async function forEachLine(
  path: string,
  visit: (line: string, number: number) => void,
): Promise<void> {
  await forEachLineBlock(path, (block, firstLine) => {
    let number = firstLine;
    for (let start = 0; start < block.length; number++) {
      const end = block.indexOf(0x0a, start);
      // Decoded line by line: a slice of a longer text would keep all of that text in memory.
      visit(block.toString('utf8', start, end > start && block[end - 1] === 0x0d ? end - 1 : end), number);
      start = end + 1;
    }
    return block.length;
  });
}

/** More than the longest text that JavaScript holds would fail in the middle of something else. */
const longestText = 2 ** 29 - 64;

/** Reads the whole of a UTF-8 text file, with `\n` as line ends; errors as for `forEachLine`, and for more than 512 MiB. */
export async function readText(path: string): Promise<string> {
  const lines: string[] = [];
  let length = 0;
  await forEachLine(path, (line) => {
    length += line.length + 1;
    if (length > longestText)
      throw new FuzzError('data', `text: expected at most ${longestText} characters, got more`, {
        path,
        hint: 'Is it the file that it should be?',
      });
    lines.push(line);
  });
  return lines.map((line) => `${line}\n`).join('');
}
