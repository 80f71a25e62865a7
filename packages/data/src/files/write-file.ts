import { access, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FuzzError } from '@fuzzqe/core';

/**
 * Writes a file whole or not at all: to a temporary name beside it, flushed to the disk, then renamed.
 *
 * Text in parts is written part by part, so that a file may be larger than memory.
 * Throws: 'data' where the disk is full or the folder cannot be written; what stood there before is untouched.
 */
export async function writeFileWhole(
  path: string,
  bytes: Uint8Array | string | Iterable<string>,
): Promise<void> {
  const temporary = `${path}.tmp-${process.pid}`;
  try {
    const file = await open(temporary, 'w');
    try {
      const parts = typeof bytes === 'string' || bytes instanceof Uint8Array ? [bytes] : bytes;
      // Each write goes on where the last one ended.
      for (const part of parts) await file.writeFile(part);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
    await syncFolder(dirname(path));
  } catch (cause) {
    await rm(temporary, { force: true });
    throw writeError(path, cause, 'what was there before is untouched');
  }
}

/** The error for a file that could not be written; `kept` says what is not lost by it. */
export function writeError(path: string, cause: unknown, kept: string): FuzzError {
  const code = (cause as NodeJS.ErrnoException).code ?? String(cause);
  const full = code === 'ENOSPC' || code === 'EDQUOT';
  return new FuzzError('data', `cannot write the file: ${full ? `the disk is full (${code})` : code}`, {
    path,
    hint: full ? `make room and try again; ${kept}` : `check the folder and its permissions; ${kept}`,
    cause,
  });
}

/** A rename lasts through a power cut only when its folder is flushed, too. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Whether there is a file or a folder at a path. */
export function pathExists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
