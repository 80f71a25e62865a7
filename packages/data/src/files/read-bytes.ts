import { FuzzError } from '@fuzzqe/core';
import {
  freeExpansion,
  openRegularFile,
  raiseLimit,
  readError,
  readLimits,
  systemErrorCode,
} from '@fuzzqe/files';
import { archivePlaceOf, brokenZip, openEntry } from './archives.ts';
import { type Packing, PackingError, packingOf } from './packings.ts';

const [leastBlock, largestBlock] = [1 << 12, 1 << 20];

/**
 * Gives the bytes of a file block by block, without holding all of it; a name that ends in `.gz`, `.bz2`, `.zst` or `.zip`
 * is unpacked on the way, and a path may lead into a zip archive.
 *
 * `visit` may change a block, and may keep it; the next block waits for its promise, where it gives one. `onRead` is told how many bytes of the file each block took.
 *
 * @throws FuzzError `data`: a file that cannot be read, is no regular file or no whole compressed file and nothing else, or becomes
 *   larger than `readLimits` admits when it is unpacked. Whatever `visit` throws.
 */
export async function readBytes(
  path: string,
  visit: (block: Buffer) => void | Promise<void>,
  onRead?: (bytes: number) => void,
): Promise<void> {
  let thrown: { readonly error: unknown } | undefined;
  const source = await openSource(path);
  const { name, bytes, most } = source;
  let [told, given] = [0, 0];
  try {
    for await (const block of source.content) {
      given += block.length;
      if (given > most) throw expandsTooFar(path, name, bytes, most);
      try {
        const taken = visit(block);
        if (taken !== undefined) await taken;
        const at = source.position(given);
        onRead?.(at - told);
        told = at;
      } catch (error) {
        // Told apart from errors of the source, which arrive at the same place.
        thrown = { error };
        throw error;
      }
    }
  } catch (error) {
    if (thrown !== undefined) throw thrown.error;
    throw source.wrong(error);
  } finally {
    source.close();
  }
  if (bytes > told) onRead?.(bytes - told);
}

/** How many bytes a file has on the disk, or in the archive into which its path leads; 0 where it cannot be opened. */
export async function packedSize(path: string): Promise<number> {
  try {
    const source = await openSource(path);
    source.close();
    return source.bytes;
  } catch (error) {
    if (error instanceof FuzzError) return 0;
    throw error;
  }
}

/** A file that is read. */
interface Source {
  /** What kind of file is unpacked; nothing for a plain file. */
  readonly name: string;
  /** How many bytes it takes. */
  readonly bytes: number;
  /** How many bytes it may have. */
  readonly most: number;
  readonly content: AsyncIterable<Buffer>;
  /** How many of the bytes it takes have been read once so many have been given. */
  position(given: number): number;
  wrong(error: unknown): FuzzError;
  close(): void;
}

async function openSource(path: string): Promise<Source> {
  const place = await archivePlaceOf(path);
  if (place === undefined) return openFile(path);
  const { archive, inside } = place;
  const { packed, unpacked, content, close } = await openEntry(place);
  const packing = packingOf(inside);
  const most = mostOf(packed);
  return {
    name: 'zip',
    bytes: packed,
    most,
    content: packing === undefined ? content : packing.unpack(content),
    position: (given) => Math.min(packed, Math.floor((packed * given) / Math.max(1, unpacked))),
    wrong: (error) => brokenZip(archive, error),
    close,
  };
}

async function openFile(path: string): Promise<Source> {
  const packing = packingOf(path);
  const { handle, bytes } = await openRegularFile(path);
  try {
    if (packing !== undefined) {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(4), 0, 4, 0);
      expectMagic(path, packing, buffer.subarray(0, bytesRead));
    }
  } catch (error) {
    await handle.close();
    throw error instanceof FuzzError ? error : readError(path, error);
  }
  // A block is allocated whole, however little is read: one byte more than the file, and its end is seen at once.
  const blockBytes = Math.min(largestBlock, Math.max(leastBlock, bytes + 1));
  const file = handle.createReadStream({ highWaterMark: blockBytes });
  const packed = file as AsyncIterable<Buffer>;
  const most = packing === undefined ? Number.POSITIVE_INFINITY : mostOf(bytes);
  return {
    name: packing?.name ?? '',
    bytes,
    most,
    content: packing === undefined || bytes === 0 ? packed : packing.unpack(packed),
    position: () => file.bytesRead,
    wrong: (error) => wrongFile(path, packing, error),
    close: () => {
      file.destroy();
    },
  };
}

function mostOf(bytes: number): number {
  return Math.max(freeExpansion, bytes * readLimits().expansion);
}

/** Throws 'data' for a file that does not begin as its ending says; an empty one is empty unpacked, too. */
function expectMagic(path: string, { name, magic }: Packing, beginning: Buffer): void {
  if (magic.slice(0, beginning.length).every((byte, i) => beginning[i] === byte)) return;
  throw new FuzzError('data', `${name}: expected a ${name} file, got one that does not begin as such`, {
    path,
    hint: `Take ${/\.[^.]*$/.exec(path)?.[0] ?? 'the ending'} off its name where it is not compressed.`,
  });
}

function wrongFile(path: string, packing: Packing | undefined, error: unknown): FuzzError {
  if (error instanceof FuzzError) return error;
  if (packing === undefined || systemErrorCode(error) !== undefined) return readError(path, error);
  const { name } = packing;
  if (error instanceof PackingError)
    return new FuzzError('data', `${name}: ${error.message}`, { path, hint: error.hint, cause: error });
  // What the unpacking asks for beyond the end: zlib, zstddec, bunzip2.
  const isShort =
    (error instanceof Error && 'code' in error && error.code === 'Z_BUF_ERROR') ||
    (error instanceof Error && /incomplete|cut short/i.test(error.message));
  return new FuzzError(
    'data',
    `${name}: expected a whole ${name} file, got one that is ${isShort ? 'cut short' : 'damaged'}`,
    { path, hint: 'The file is damaged or cut short: fetch it again.', cause: error },
  );
}

function expandsTooFar(path: string, name: string, size: number, most: number): FuzzError {
  return new FuzzError('data', `${name}: expected at most ${most} bytes of a file of ${size}, got more`, {
    path,
    hint: raiseLimit('expansion'),
  });
}
