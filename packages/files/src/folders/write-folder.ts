import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { makeFolder } from '../files/make-folder.ts';
import { syncFolder, syncFolders } from '../files/sync-folder.ts';
import { takeLock } from '../lock/take-lock.ts';
import { siblingOf, siblingsOf } from './siblings.ts';

/** Where a folder is written, and what of it is replaced. */
export interface FolderTarget {
  readonly path: string;
  /** Refuses what stands there already; called when nobody else writes there any more. */
  expectReplaceable(): Promise<void>;
}

/**
 * Fills a folder whole or not at all: a temporary folder next to it is filled and flushed, then renamed. `fill` gets that
 * folder, and flushes the files it writes.
 *
 * Whatever moment the power is cut at, `wholeFolder` afterwards finds what stood there before or all of the new, and the next
 * call removes what is left over.
 *
 * @throws FuzzError `runtime`: another process writes there. Errors of the disk as they are; whatever the two functions throw.
 * @example
 * await writeFolderWhole({ path: 'bundle', expectReplaceable: async () => {} }, (temporary) =>
 *   writeFileWhole(`${temporary}/manifest.json`, text),
 * );
 */
export async function writeFolderWhole<T>(
  { path, expectReplaceable }: FolderTarget,
  fill: (temporary: string) => Promise<T>,
): Promise<T> {
  const target = resolve(path);
  const parent = dirname(target);
  await makeFolder(parent);
  const lock = await takeLock({ folder: parent, prefix: `.${basename(target)}.`, what: target });
  const temporary = siblingOf(target, 'new');
  try {
    await clearLeftOvers(target);
    await expectReplaceable();
    await mkdir(temporary);
    const result = await fill(temporary);
    await syncFolders(temporary);
    await swap(temporary, target);
    return result;
  } finally {
    await rm(temporary, { recursive: true, force: true });
    await lock.release();
  }
}

/**
 * The folder at a path; where a replacement of it was cut off between its two renames, the one before, which waits next to it.
 * A path where there is neither is given back as it is.
 *
 * @example
 * const bundle = await wholeFolder('bundles/mine');
 */
export async function wholeFolder(path: string): Promise<string> {
  if (await isThere(path)) return path;
  const [earlier] = await siblingsOf(resolve(path), 'old');
  return earlier ?? path;
}

/** No step of this loses what stood there: it is removed when the new folder stands in its place for good. */
async function swap(temporary: string, target: string): Promise<void> {
  const old = (await isThere(target)) ? siblingOf(target, 'old') : undefined;
  if (old !== undefined) await rename(target, old);
  try {
    await rename(temporary, target);
  } catch (cause) {
    if (old !== undefined) await rename(old, target);
    throw cause;
  }
  await syncFolder(dirname(target));
  if (old !== undefined) await rm(old, { recursive: true, force: true });
}

/** What a killed process left next to the target: folders that were being filled, and one that was being replaced. */
async function clearLeftOvers(target: string): Promise<void> {
  for (const unfinished of await siblingsOf(target, 'new')) await rm(unfinished, { recursive: true });
  for (const old of await siblingsOf(target, 'old'))
    if (await isThere(target)) await rm(old, { recursive: true });
    else await rename(old, target);
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
