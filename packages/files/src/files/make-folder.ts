import { mkdir, mkdtemp, readdir, rmdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { FuzzError } from '@fuzzqe/core';
import { storageError } from '../errors/storage-error.ts';
import { syncFolder } from './sync-folder.ts';

/**
 * Makes a folder with those above it, each flushed to the disk; one that is there is left as it is. Gives those it made, the highest first.
 *
 * Each is made by itself: Node's own way (`recursive`) never ends where a folder says that it has none below, as /proc does.
 *
 * @throws FuzzError `storage`: one of them cannot be made, or is a file.
 * @example
 * const made = await makeFolder('runs/mine'); // ['runs', 'runs/mine'] if neither was there
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

/** How long an empty folder of a trial lies there until anyone who made it has ended for sure, in milliseconds. */
const abandoned = 60_000;

/**
 * Tells at once whether something can be written at a path, before work begins that is to end there; nothing is left behind, and
 * what a process left that was killed in between is removed.
 *
 * @throws FuzzError `storage`: it cannot, or a file stands where a folder is needed.
 * @example
 * await expectWritable('runs/mine');
 */
export async function expectWritable(path: string): Promise<void> {
  const { folder } = await nearestFolder(path);
  try {
    await rmdir(await mkdtemp(join(folder, '.fuzzqe-')));
  } catch (cause) {
    throw cannotBeMade(path, folder, cause);
  }
  await removeTrials(folder);
}

async function removeTrials(folder: string): Promise<void> {
  // A folder may be one to write in and not to look into.
  for (const name of await readdir(folder).catch((): string[] => [])) {
    if (!/^\.fuzzqe-[A-Za-z0-9]{6}$/.test(name)) continue;
    const trial = join(folder, name);
    const made = (await stat(trial).catch(() => undefined))?.mtimeMs ?? Number.POSITIVE_INFINITY;
    // Only an empty one goes away so.
    if (Date.now() - made > abandoned) await rmdir(trial).catch(() => {});
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
