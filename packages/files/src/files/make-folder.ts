import { mkdir, mkdtemp, rmdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { FuzzError, storageError } from '@fuzzqe/core';
import { syncFolder } from './sync-folder.ts';

/**
 * Makes a folder with those above it, each flushed to the disk; one that is there is left as it is. Gives those it made, the highest first.
 *
 * Each is made by itself: Node's own way (`recursive`) never ends where a folder says that it has none below, as /proc does.
 *
 * @throws FuzzError `storage`: one of them cannot be made, or is a file.
 */
export async function makeFolder(path: string): Promise<readonly string[]> {
  const { missing } = await nearestFolder(path);
  const made: string[] = [];
  for (const folder of missing) {
    try {
      await mkdir(folder);
      await syncFolder(dirname(folder));
      made.push(folder);
    } catch (cause) {
      // Another process may have made it in the meantime.
      if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cannotBeMade(path, folder, cause);
    }
  }
  return made;
}

/**
 * Tells at once whether something can be written at a path, before work begins that is to end there; nothing is left behind.
 *
 * @throws FuzzError `storage`: it cannot, or a file stands where a folder is needed.
 */
export async function expectWritable(path: string): Promise<void> {
  const { folder } = await nearestFolder(path);
  try {
    await rmdir(await mkdtemp(join(folder, '.fuzzqe-')));
  } catch (cause) {
    throw cannotBeMade(path, folder, cause);
  }
}

/** The lowest folder on the way to a path that is there, and those below it that are not, the highest first. */
async function nearestFolder(
  path: string,
): Promise<{ readonly folder: string; readonly missing: readonly string[] }> {
  const missing: string[] = [];
  for (let at = resolve(path); ; at = dirname(at)) {
    const found = await stat(at).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return undefined;
      throw cannotBeMade(path, at, cause);
    });
    if (found?.isDirectory() === true) return { folder: at, missing };
    if (found !== undefined)
      throw new FuzzError('storage', `folder: expected one, got a file: ${at}`, {
        path,
        hint: 'Choose another folder.',
      });
    missing.unshift(at);
  }
}

function cannotBeMade(path: string, folder: string, cause: unknown): FuzzError {
  return storageError(`folder: nothing can be written in ${folder}`, path, cause);
}
