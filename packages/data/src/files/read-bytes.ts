import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { FuzzError } from '@fuzzqe/core';
import { freeExpansion, openRegularFile, raiseLimit, readError, readLimits } from '@fuzzqe/files';

const [leastBlock, largestBlock] = [1 << 12, 1 << 20];

/**
 * Gives the bytes of a file block by block, without holding all of it; a name that ends in `.gz` is unzipped on the way.
 *
 * `visit` may change a block, and may keep it. `onRead` is told how many bytes of the file each block took.
 *
 * @throws FuzzError `data`: a file that cannot be read, is no regular file or no whole gzip file, or becomes larger than
 *   `readLimits` admits when it is unzipped. Whatever `visit` throws.
 */
export async function readBytes(
  path: string,
  visit: (block: Buffer) => void,
  onRead?: (bytes: number) => void,
): Promise<void> {
  let thrown: { readonly error: unknown } | undefined;
  const { expansion } = readLimits();
  const isZipped = path.endsWith('.gz');
  const { handle, bytes: size } = await openRegularFile(path);
  // A block is allocated whole, however little is read: one byte more than the file, and its end is seen at once.
  const blockBytes = Math.min(largestBlock, Math.max(leastBlock, size + 1));
  const file = handle.createReadStream({ highWaterMark: blockBytes });
  const most = Math.max(freeExpansion, size * expansion);
  let [told, given] = [0, 0];

  async function consume(source: AsyncIterable<Buffer>): Promise<void> {
    for await (const block of source) {
      try {
        given += block.length;
        if (isZipped && given > most) throw expandsTooFar(path, size, most);
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
    if (isZipped)
      await pipeline(file, createGunzip({ chunkSize: Math.min(largestBlock, 8 * blockBytes) }), consume);
    else await pipeline(file, consume);
  } catch (error) {
    if (thrown !== undefined) throw thrown.error;
    throw readError(path, error);
  }
}

function expandsTooFar(path: string, size: number, most: number): FuzzError {
  return new FuzzError('data', `gzip: expected at most ${most} bytes of a file of ${size}, got more`, {
    path,
    hint: raiseLimit('expansion'),
  });
}
