import { rm, rmdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { makeFolder } from '../files/make-folder.ts';
import { takeLock } from '../lock/take-lock.ts';
import { siblingOf, siblingPrefix, siblingsOf } from './siblings.ts';

/**
 * Does work that needs a folder next to the one it fills, on the same disk: it is removed when the work ends, however that is. What a
 * killed process left there is removed before; folders that were made for it and are empty go again.
 *
 * @throws FuzzError `runtime`: another process works there. `storage`: nothing can be written there. Whatever the work throws.
 */
export async function inScratchFolder<T>(path: string, work: (scratch: string) => Promise<T>): Promise<T> {
  const target = resolve(path);
  const parent = dirname(target);
  const made = await makeFolder(parent);
  try {
    // Of its own: what fills the target takes that of the target.
    const lock = await takeLock({ folder: parent, prefix: siblingPrefix(target, 'scratch'), what: target });
    const scratch = siblingOf(target, 'scratch');
    try {
      for (const left of await siblingsOf(target, 'scratch')) await rm(left, { recursive: true });
      await makeFolder(scratch);
      return await work(scratch);
    } finally {
      await rm(scratch, { recursive: true, force: true });
      await lock.release();
    }
  } finally {
    for (const each of made.toReversed()) await rmdir(each).catch(() => {});
  }
}
