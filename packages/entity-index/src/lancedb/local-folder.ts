import { access, constants, mkdir, stat } from 'node:fs/promises';
import { FuzzError } from '@fuzzqe/core';
import { storageError, systemErrorCode } from '@fuzzqe/files';

/**
 * Whether a folder is there to be read. LanceDB makes one that is not, so it is asked for nothing then.
 *
 * @throws FuzzError `storage`.
 */
export async function hasFolder(path: string): Promise<boolean> {
  try {
    const found = await stat(path);
    if (!found.isDirectory())
      throw new FuzzError('storage', 'expected the folder of an index, got a file', {
        path,
        hint: 'Name another folder.',
      });
    await access(path, constants.R_OK | constants.X_OK);
    return true;
  } catch (cause) {
    const code = systemErrorCode(cause);
    if (code === undefined) throw cause;
    if (code === 'ENOENT') return false;
    if (code !== 'EACCES') throw storageError('cannot read the folder of the index', path, cause);
    throw new FuzzError('storage', `cannot read the folder of the index: reading is forbidden (${code})`, {
      path,
      hint: 'Check who may read there, or name another folder.',
      cause,
    });
  }
}

/**
 * Makes a folder with those above it, where it is not there.
 *
 * @throws FuzzError `storage`.
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
  } catch (cause) {
    throw storageError('cannot make the folder of the index', path, cause);
  }
}

/**
 * Refuses a folder that nothing can be written in: LanceDB says why in a text alone.
 *
 * @throws FuzzError `storage`.
 */
export async function expectWritable(path: string): Promise<void> {
  try {
    await access(path, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw storageError('cannot write into the folder of the index', path, cause);
  }
}
