import { access, constants, copyFile, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FuzzError } from '@fuzzqe/core';
import { storageError, systemErrorCode } from '../errors/storage-error.ts';
import { type FileWriter, openFileWriter, type WrittenFile } from './file-writer.ts';
import { makeFolder } from './make-folder.ts';
import { syncFolder } from './sync-folder.ts';

/** What a file is to hold: all of it, texts one after the other, or what a function writes. */
export type FileContent =
  | Uint8Array
  | string
  | Iterable<string>
  | ((file: Pick<FileWriter, 'write'>) => Promise<void>);

/**
 * Writes a file whole or not at all: to a temporary name next to it, flushed to the disk, then renamed, and the folder flushed.
 *
 * Whatever moment the power is cut at, what is read afterwards is what stood there before or all of the new; once this has
 * returned, it is the new. Content in parts may be larger than memory.
 *
 * @throws FuzzError `storage`: the disk is full or the folder cannot be written; what stood there before is untouched. Whatever
 *   `content` throws.
 * @example
 * await writeFileWhole('runs/mine/state.json', '{}\n');
 */
export async function writeFileWhole(path: string, content: FileContent): Promise<WrittenFile> {
  return inPlaceOf(path, (temporary) => writeNewFile(temporary, content));
}

/** Writes a new file and flushes it, as those of a folder that `writeFolderWhole` fills. Throws what the disk says. */
export async function writeNewFile(path: string, content: FileContent): Promise<WrittenFile> {
  const file = await openFileWriter(path);
  try {
    if (typeof content === 'string' || content instanceof Uint8Array) await file.write(content);
    else if (typeof content === 'function') await content(file);
    else await writeTexts(file, content);
    return await file.close();
  } finally {
    await file.abandon();
  }
}

/**
 * Copies a file as `writeFileWhole` writes one. Throws as it does.
 *
 * @example
 * await copyFileWhole('data/facts.tsv', 'backup/facts.tsv');
 */
export async function copyFileWhole(source: string, path: string): Promise<void> {
  await inPlaceOf(path, async (temporary) => {
    await copyFile(source, temporary, constants.COPYFILE_FICLONE);
    await flushFile(temporary);
  });
}

/** Copies a file, or a folder with all in it, to where nothing is yet, and flushes each file. Throws what the disk says. */
export async function copyNew(source: string, path: string): Promise<void> {
  if (!(await stat(source)).isDirectory()) {
    await makeFolder(dirname(path));
    await copyFile(source, path, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    await flushFile(path);
    return;
  }
  await makeFolder(path);
  for (const name of await readdir(source)) await copyNew(join(source, name), join(path, name));
}

/**
 * Renames a file that is complete, as one that was downloaded, into its place, so that it lasts through a power cut there.
 *
 * @throws errors of the system as they are.
 * @example
 * await putInPlace('model.onnx.part', 'model.onnx');
 */
export async function putInPlace(temporary: string, path: string): Promise<void> {
  await flushFile(temporary);
  await rename(temporary, path);
  await syncFolder(dirname(path));
}

let temporaries = 0;

async function inPlaceOf<T>(path: string, write: (temporary: string) => Promise<T>): Promise<T> {
  temporaries += 1;
  const temporary = `${path}.tmp-${process.pid}-${temporaries}`;
  try {
    // A process of the same number may have been killed here.
    await rm(temporary, { force: true });
    const result = await write(temporary);
    await rename(temporary, path);
    await syncFolder(dirname(path));
    return result;
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => {});
    if (cause instanceof FuzzError) throw cause;
    throw writeError(path, cause, 'what was there before is untouched');
  }
}

/** What the names end in that `writeFileWhole` uses until a file is whole. */
export const temporaryName: RegExp = /\.tmp-\d+(-\d+)?$/;

/** Returns when what was written into a file is on the disk. */
async function flushFile(path: string): Promise<void> {
  // A copy may be as read-only as what it is of; Windows flushes what is open for writing alone.
  const file = await open(path, process.platform === 'win32' ? 'r+' : 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The error for a file that could not be written; `kept` says what is not lost by it. */
export function writeError(path: string, cause: unknown, kept: string): FuzzError {
  return storageError('cannot write the file', path, cause, kept);
}

/** Does work that writes `what` at a path. Throws: `storage` instead of an error of the system. */
export async function onDisk<T>(what: string, path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (systemErrorCode(cause) === undefined) throw cause;
    throw storageError(`cannot write the ${what}`, path, cause, 'what was there before is untouched');
  }
}

/**
 * Writes texts one after the other, in blocks: millions of lines are neither one string nor millions of calls.
 *
 * There is one block for all of them: memory outside of the heap that comes and goes makes V8 collect all of it, which takes
 * seconds next to millions of names.
 */
export async function writeTexts(file: Pick<FileWriter, 'write'>, texts: Iterable<string>): Promise<void> {
  const block = Buffer.allocUnsafe(1 << 20);
  let length = 0;
  for (const text of texts) {
    const most = 3 * text.length; // bytes of UTF-8
    if (most > block.length - length) {
      await file.write(block.subarray(0, length));
      length = 0;
    }
    if (most > block.length) await file.write(text);
    else length += block.write(text, length);
  }
  await file.write(block.subarray(0, length));
}

/** Whether there is a file or a folder at a path. */
export function pathExists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
