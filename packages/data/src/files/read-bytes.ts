import type { ReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGunzip, type Gunzip } from 'node:zlib';
import { FuzzError } from '@fuzzqe/core';
import { freeExpansion, openRegularFile, raiseLimit, readError, readLimits } from '@fuzzqe/files';

const [leastBlock, largestBlock] = [1 << 12, 1 << 20];

/**
 * Gives the bytes of a file block by block, without holding all of it; a name that ends in `.gz` is unzipped on the way.
 *
 * `visit` may change a block, and may keep it; the next block waits for its promise, where it gives one. `onRead` is told how many bytes of the file each block took.
 *
 * Zeros after the last member of a gzip file are padding, and passed over.
 *
 * @throws FuzzError `data`: a file that cannot be read, is no regular file or no whole gzip file and nothing else, or becomes
 *   larger than `readLimits` admits when it is unzipped. Whatever `visit` throws.
 */
export async function readBytes(
  path: string,
  visit: (block: Buffer) => void | Promise<void>,
  onRead?: (bytes: number) => void,
): Promise<void> {
  let thrown: { readonly error: unknown } | undefined;
  const { expansion } = readLimits();
  const isZipped = path.endsWith('.gz');
  const { handle, bytes: size } = await openRegularFile(path);
  try {
    if (isZipped) await expectGzip(path, handle);
  } catch (error) {
    await handle.close();
    throw error instanceof FuzzError ? error : readError(path, error);
  }
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
        const taken = visit(block);
        if (taken !== undefined) await taken;
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
    if (isZipped) {
      const unzipped = createGunzip({ chunkSize: Math.min(largestBlock, 8 * blockBytes) });
      await consumeUnzipped(file, unzipped, consume);
      await expectPadding(path, unzipped.bytesWritten);
      if (size > told) onRead?.(size - told);
    } else await pipeline(file, consume);
  } catch (error) {
    if (thrown !== undefined) throw thrown.error;
    throw error instanceof FuzzError ? error : readError(path, error);
  }
}

/** Throws 'data' for a file that does not begin as gzip does; an empty one unzips to nothing. */
async function expectGzip(path: string, handle: FileHandle): Promise<void> {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0);
  if (bytesRead === 0 || (buffer[0] === 0x1f && (bytesRead < 2 || buffer[1] === 0x8b))) return;
  throw new FuzzError('data', 'gzip: expected a gzip file, got one that does not begin as such', {
    path,
    hint: 'Take .gz off its name where it is not compressed.',
  });
}

/**
 * Unzips a file.
 *
 * Not by a pipeline: what follows the last member ends the unzipping before the file, which a pipeline takes for a failure.
 */
async function consumeUnzipped(
  file: ReadStream,
  unzipped: Gunzip,
  consume: (source: AsyncIterable<Buffer>) => Promise<void>,
): Promise<void> {
  file.on('error', (error) => unzipped.destroy(error));
  file.pipe(unzipped);
  try {
    await consume(unzipped);
  } finally {
    unzipped.destroy();
    file.destroy();
  }
}

/** Throws 'data' where anything but zeros follows the last member: the unzipping has passed over it. */
async function expectPadding(path: string, from: number): Promise<void> {
  const { handle, bytes } = await openRegularFile(path);
  for await (const block of handle.createReadStream({ start: from }) as AsyncIterable<Buffer>)
    if (block.some((byte) => byte !== 0))
      throw new FuzzError('data', `gzip: expected nothing after its last member, got ${bytes - from} bytes`, {
        path,
        hint: `Cut them off, where they are no part of the data: head -c ${from} FILE > NEW.gz.`,
      });
}

function expandsTooFar(path: string, size: number, most: number): FuzzError {
  return new FuzzError('data', `gzip: expected at most ${most} bytes of a file of ${size}, got more`, {
    path,
    hint: raiseLimit('expansion'),
  });
}
