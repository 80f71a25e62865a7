import { rmdir } from 'node:fs/promises';
import { makeFolder } from '../files/make-folder.ts';
import { type Lock, type LockPlace, takeLock } from './take-lock.ts';

/**
 * Takes the lock of a folder, which is made where it is not there, for as long as something is written in it.
 *
 * `restarts` is that of `takeLock`. When it is released, folders that were made for it and are empty go again.
 *
 * @throws FuzzError `runtime`: another process writes there. `storage`: nothing can be written there.
 * @example
 * const lock = await lockFolder('runs/mine');
 * await lock.release();
 */
export async function lockFolder(
  folder: string,
  { restarts }: Pick<LockPlace, 'restarts'> = {},
): Promise<Lock> {
  const made = await makeFolder(folder);
  const removeEmpty = async (): Promise<void> => {
    for (const each of made.toReversed()) await rmdir(each).catch(() => {});
  };
  const lock = await takeLock({ folder, what: folder, restarts }).catch(async (cause: unknown) => {
    await removeEmpty();
    throw cause;
  });
  return {
    expectHeld: lock.expectHeld,
    async release() {
      await lock.release();
      await removeEmpty();
    },
  };
}
