import type { Stats } from 'node:fs';
import { constants, type FileHandle, open, stat } from 'node:fs/promises';
import { FuzzError, type FuzzErrorCode } from '@fuzzqe/core';
import { raiseLimit, readLimits } from './read-limits.ts';

/** A file that was opened to be read, with its size. */
export interface OpenedFile {
  readonly handle: FileHandle;
  readonly bytes: number;
}

/**
 * Opens a file for reading; a link to a file is followed.
 *
 * Only regular files: a pipe or a device may never end, and opening one may wait for ever.
 *
 * @throws FuzzError of that code (default `data`): no such file, one that may not be read, a folder, a pipe, a device.
 * @example
 * const { handle, bytes } = await openRegularFile('facts.bin');
 * await handle.close();
 */
export async function openRegularFile(path: string, code: FuzzErrorCode = 'data'): Promise<OpenedFile> {
  let handle: FileHandle | undefined;
  try {
    // Looked at before it is opened, because opening a device may do something; and again, since it may be another by now.
    expectRegular(path, await stat(path), code);
    handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const found = await handle.stat();
    expectRegular(path, found, code);
    return { handle, bytes: found.size };
  } catch (cause) {
    await handle?.close();
    if (cause instanceof FuzzError) throw cause;
    throw readError(path, cause, code);
  }
}

/**
 * Reads a file as a whole; its size is looked at before.
 *
 * @throws FuzzError of that code (default `data`): what `openRegularFile` throws; a file above the limit.
 * @example
 * const config = JSON.parse((await readWholeFile('config.json', 'config')).toString('utf8'));
 */
export async function readWholeFile(path: string, code: FuzzErrorCode = 'data'): Promise<Buffer> {
  const { file: most } = readLimits();
  const { handle, bytes } = await openRegularFile(path, code);
  try {
    if (bytes > most) throw tooLarge(path, bytes, most, code);
    if (bytes > 0) return await handle.readFile();
    // Files of the system say that they are empty, and are not.
    const blocks: Buffer[] = [];
    let read = 0;
    for await (const block of handle.createReadStream({ end: most, autoClose: false })) {
      blocks.push(block);
      read += block.length;
    }
    if (read > most) throw tooLarge(path, read, most, code);
    return Buffer.concat(blocks);
  } catch (cause) {
    if (cause instanceof FuzzError) throw cause;
    throw readError(path, cause, code);
  } finally {
    await handle.close();
  }
}

/** Returns the error for a file that could not be read. */
export function readError(path: string, cause: unknown, code: FuzzErrorCode = 'data'): FuzzError {
  const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error';
  const [message, hint] =
    reason === 'ENOENT' || reason === 'ENOTDIR'
      ? ['file not found', 'Check the path.']
      : reason === 'ELOOP'
        ? ['file: expected a file, got links that lead in a circle', 'Check the path.']
        : [`file: cannot be read (${reason})`, 'Check that it is a file and that you may read it.'];
  return new FuzzError(code, message, { path, hint, cause });
}

function expectRegular(path: string, found: Stats, code: FuzzErrorCode): void {
  if (found.isFile()) return;
  const got = found.isDirectory()
    ? 'a folder'
    : found.isFIFO()
      ? 'a pipe'
      : found.isSocket()
        ? 'a socket'
        : 'a device';
  throw new FuzzError(code, `file: expected a file, got ${got}`, {
    path,
    hint:
      got === 'a folder'
        ? 'Give a file in it.'
        : 'Write what it gives into a file first, and give that file.',
  });
}

function tooLarge(path: string, bytes: number, most: number, code: FuzzErrorCode): FuzzError {
  return new FuzzError(code, `file: expected at most ${most} bytes, got ${bytes}`, {
    path,
    hint: raiseLimit('file'),
  });
}
