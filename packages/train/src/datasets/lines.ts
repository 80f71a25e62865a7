import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { FuzzError } from '@fuzzqe/core';

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
  let number = 0;
  let thrown: { readonly error: unknown } | undefined;

  /** Takes whole lines, each with its line feed. */
  const take = (block: Buffer): void => {
    try {
      if (!isUtf8(block)) throw notUtf8(block, path, number);
      const lines = block.toString('utf8').split('\n');
      // What follows the last line feed belongs to the next block, and is empty here.
      for (const line of lines.slice(0, -1)) {
        number++;
        const start = number === 1 && line.startsWith('\uFEFF') ? 1 : 0;
        visit(line.slice(start, line.endsWith('\r') ? -1 : undefined), number);
      }
    } catch (error) {
      // Told apart from errors of the streams, which arrive at the same place.
      thrown = { error };
      throw error;
    }
  };

  async function consume(source: AsyncIterable<Buffer>): Promise<void> {
    let rest: Buffer[] = [];
    for await (const chunk of source) {
      const end = chunk.lastIndexOf(0x0a);
      if (end < 0) {
        rest.push(chunk);
        continue;
      }
      take(Buffer.concat([...rest, chunk.subarray(0, end + 1)]));
      rest = [chunk.subarray(end + 1)];
    }
    const last = Buffer.concat(rest);
    if (last.length > 0) take(Buffer.concat([last, Buffer.from('\n')]));
  }

  try {
    const file = createReadStream(path);
    if (path.endsWith('.gz')) await pipeline(file, createGunzip(), consume);
    else await pipeline(file, consume);
  } catch (error) {
    if (thrown !== undefined) throw thrown.error;
    throw unreadable(path, error);
  }
}

function notUtf8(block: Buffer, path: string, linesBefore: number): FuzzError {
  let line = linesBefore + 1;
  for (let start = 0; start < block.length; line++) {
    const end = block.indexOf(0x0a, start) + 1;
    if (!isUtf8(block.subarray(start, end))) break;
    start = end;
  }
  return new FuzzError('data', 'text: expected UTF-8, got bytes that are not', {
    path: `${path}:${line}`,
    hint: 'Convert the file, as with `iconv -f latin1 -t utf8`.',
  });
}

function unreadable(path: string, cause: unknown): FuzzError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error';
  const [message, hint] =
    code === 'ENOENT'
      ? ['file: expected one to read, found none', 'Check the path.']
      : code.startsWith('Z_')
        ? [
            `gzip: expected a whole gzip file, got ${code}`,
            'The file is damaged or cut short: fetch it again.',
          ]
        : [`file: cannot be read (${code})`, 'Check that it is a file and that you may read it.'];
  return new FuzzError('data', message, { path, hint, cause });
}

/** Reads the whole of a UTF-8 text file, with `\n` as line ends; errors as for `forEachLine`. */
export async function readText(path: string): Promise<string> {
  const lines: string[] = [];
  await forEachLine(path, (line) => lines.push(line));
  return lines.map((line) => `${line}\n`).join('');
}
