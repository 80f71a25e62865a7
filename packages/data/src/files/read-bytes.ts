import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { FuzzError } from '@fuzzqe/core';

const blockBytes = 1 << 20;

/**
 * Gives the bytes of a file block by block, without holding all of it; a name that ends in `.gz` is unzipped on the way.
 *
 * `visit` may change a block, and may keep it. `onRead` is told how many bytes of the file each block took.
 *
 * @throws FuzzError `data`: a file that cannot be read, or is no whole gzip file. Whatever `visit` throws.
 */
export async function readBytes(
  path: string,
  visit: (block: Buffer) => void,
  onRead?: (bytes: number) => void,
): Promise<void> {
  let thrown: { readonly error: unknown } | undefined;

  const file = createReadStream(path, { highWaterMark: blockBytes });
  let told = 0;

  async function consume(source: AsyncIterable<Buffer>): Promise<void> {
    for await (const block of source) {
      try {
        visit(block);
        onRead?.(file.bytesRead - told);
        told = file.bytesRead;
      } catch (error) {
        // Told apart from errors of the streams, which arrive at the same place.
        thrown = { error };
        throw error;
      }
    }
  }

  try {
    if (path.endsWith('.gz')) await pipeline(file, createGunzip({ chunkSize: blockBytes }), consume);
    else await pipeline(file, consume);
  } catch (error) {
    if (thrown !== undefined) throw thrown.error;
    throw readError(path, error);
  }
}

/** Returns the error for a file that could not be read. */
export function readError(path: string, cause: unknown): FuzzError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error';
  const [message, hint] =
    code === 'ENOENT'
      ? ['file: expected one to read, found none', 'Check the path.']
      : code.startsWith('Z_')
        ? [
            `gzip: expected a whole gzip file, got ${code === 'Z_BUF_ERROR' ? 'one that is cut short' : code}`,
            'The file is damaged or cut short: fetch it again.',
          ]
        : [`file: cannot be read (${code})`, 'Check that it is a file and that you may read it.'];
  return new FuzzError('data', message, { path, hint, cause });
}
