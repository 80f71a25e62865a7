import { randomUUID } from 'node:crypto';
import { link, open, rm } from 'node:fs/promises';
import { writeError } from './write-file.ts';

/**
 * Makes a file that is not there yet, with its content from the moment that it has its name. Gives whether it was made: of many
 * processes that ask at once, on machines that share the folder, one is told so.
 *
 * Until then it has the name `<path>.<uuid>`, which a process that is killed leaves behind. Where the file system has no hard links, it is an
 * exclusive file under its own name from the start, which is empty for a moment.
 *
 * @throws FuzzError `storage`: it cannot be written.
 */
export async function createFile(path: string, text: string): Promise<boolean> {
  const unfinished = `${path}.${randomUUID()}`;
  try {
    try {
      await writeNew(unfinished, text);
      await link(unfinished, path);
    } catch (cause) {
      if (!withoutLinks.has((cause as NodeJS.ErrnoException).code ?? '')) throw cause;
      await writeNew(path, text);
    } finally {
      await rm(unfinished, { force: true });
    }
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw writeError(path, cause, 'nothing was changed');
  }
}

/** What file systems say that have no second names for a file: exFAT, some of networks, buckets that are mounted. */
const withoutLinks: ReadonlySet<string> = new Set(
  ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].concat(['EINVAL', 'EACCES', 'EXDEV']),
);

/** Writes a file that is not there yet, or nothing. */
async function writeNew(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await file.writeFile(text);
    await file.datasync();
  } catch (cause) {
    await rm(path, { force: true });
    throw cause;
  } finally {
    await file.close();
  }
}
