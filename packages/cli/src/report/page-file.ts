import { access, constants, open, realpath, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FuzzError } from '@fuzzqe/core';
import { expectWritable, storageError, systemErrorCode, writeFileWhole } from '@fuzzqe/files';

/**
 * Writes a page where it goes.
 *
 * @throws FuzzError `storage`.
 */
export type WritePage = (text: string) => Promise<void>;

/**
 * Tells before minutes of work whether the page of a command can be written at their end, and gives what writes it: whole or not at
 * all where it becomes a file, straight into what is none, as a pipe. A link to a file keeps pointing to it.
 *
 * @param what the option that names the place, for messages.
 * @throws FuzzError `storage`: it cannot be written there.
 */
export async function pageFile(path: string, what: string): Promise<WritePage> {
  const cannotBeWritten = (cause: unknown): never => {
    throw storageError(`${what}: cannot be written`, path, cause);
  };
  if (/[\\/]$/.test(path))
    throw new FuzzError('storage', `${what}: expected a file, got the name of a folder`, {
      path,
      hint: 'Name a file in it.',
    });
  const found = await lookAt(path).catch(cannotBeWritten);
  if (found === 'stream') return (text) => writeFile(path, text).catch(cannotBeWritten);
  const target = found === 'none' ? path : await realpath(path).catch(cannotBeWritten);
  const folder = dirname(target);
  await stat(folder).catch(cannotBeWritten);
  await expectWritable(folder);
  return async (text) => void (await writeFileWhole(target, text));
}

/** What stands at a path: a file that may be written, nothing, or what takes bytes otherwise. Throws what the system says. */
async function lookAt(path: string): Promise<'file' | 'none' | 'stream'> {
  try {
    const found = await stat(path);
    // Not opened: anyone who reads a pipe takes its closing for the end.
    if (found.isFIFO() || found.isCharacterDevice()) {
      await access(path, constants.W_OK);
      return 'stream';
    }
    await (await open(path, 'r+')).close();
    return 'file';
  } catch (cause) {
    if (systemErrorCode(cause) === 'ENOENT') return 'none';
    throw cause;
  }
}
