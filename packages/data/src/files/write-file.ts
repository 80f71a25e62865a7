import { access, type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type FuzzError, storageError } from '@fuzzqe/core';

/**
 * Writes a file whole or not at all: to a temporary name beside it, flushed to the disk, then renamed.
 *
 * Text in parts is written part by part, so that a file may be larger than memory.
 * Throws: 'storage' where the disk is full or the folder cannot be written; what stood there before is untouched.
 */
export async function writeFileWhole(
  path: string,
  bytes: Uint8Array | string | Iterable<string>,
): Promise<void> {
  const temporary = `${path}.tmp-${process.pid}`;
  try {
    const file = await open(temporary, 'w');
    try {
      if (typeof bytes === 'string' || bytes instanceof Uint8Array) await file.writeFile(bytes);
      else await writeTexts(file, bytes);
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
  return storageError('cannot write the file', path, cause, kept);
}

/** Writes texts one after the other, in blocks: millions of lines are neither one string nor millions of calls. */
export async function writeTexts(file: FileHandle, texts: Iterable<string>): Promise<void> {
  const blockLength = 1 << 20;
  let block: string[] = [];
  let length = 0;
  for (const text of texts) {
    block.push(text);
    length += text.length;
    if (length < blockLength) continue;
    await file.writeFile(block.join(''));
    block = [];
    length = 0;
  }
  await file.writeFile(block.join(''));
}

/** A new or renamed file lasts through a power cut only when the folder that names it is flushed, too. */
export async function syncFolder(path: string): Promise<void> {
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
