import { randomUUID } from 'node:crypto';
import { link, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCode } from '../errors/storage-error.ts';
import { writeError } from './write-file.ts';

/**
 * Makes a file that is not there yet, with its content from the moment that it has its name. Gives whether it was made: of many
 * processes that ask at once, on machines that share the folder, one is told so.
 *
 * Until then it has the name `<path>.<uuid>`, which a process that is killed leaves behind. Where the file system has no hard links, an
 * empty file keeps the name for a moment, and for ever where its process was killed.
 *
 * With `replacesEmpty` one that is empty for a minute is replaced: not for what only one may ever be told it made, because a process
 * that stood still for that long between two calls is told so as well.
 *
 * @throws FuzzError `storage`: it cannot be written.
 */
export async function createFile(
  path: string,
  text: string,
  { replacesEmpty = false }: { readonly replacesEmpty?: boolean } = {},
): Promise<boolean> {
  const unfinished = `${path}.${randomUUID()}`;
  try {
    await writeNew(unfinished, text);
    if (await takeName(unfinished, path)) return true;
    return replacesEmpty && (await replaceAbandoned(unfinished, path));
  } catch (cause) {
    const isEmpty = (await statOf(path).catch(() => undefined))?.size === 0;
    throw writeError(path, cause, isEmpty ? 'an empty file has its name' : 'nothing was changed');
  } finally {
    await rm(unfinished, { force: true });
  }
}

/** What the names end in that `createFile` uses until a file is whole. */
export const unfinishedName: RegExp = /\.(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|replaced-\d+)$/;

/** Whether files of a folder can have second names; false where that cannot be tried. */
export async function hasHardLinks(folder: string): Promise<boolean> {
  const probe = join(folder, `.links-${randomUUID()}`);
  try {
    await writeNew(probe, '');
    await link(probe, `${probe}-2`);
    return true;
  } catch {
    return false;
  } finally {
    for (const each of [probe, `${probe}-2`]) await rm(each, { force: true }).catch(() => {});
  }
}

/** What file systems say that have no second names for a file: exFAT, some of networks, buckets that are mounted. */
const withoutLinks: ReadonlySet<string | undefined> = new Set(
  ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].concat(['EINVAL', 'EACCES', 'EXDEV']),
);

/** Milliseconds after which an empty file is nobody's: anyone who keeps a name by one gives it its content at once. */
const abandonedAfter = 60_000;

/** Gives a file a name that nothing has; false where something has it. */
async function takeName(unfinished: string, path: string): Promise<boolean> {
  try {
    await link(unfinished, path);
    return true;
  } catch (cause) {
    if (systemErrorCode(cause) === 'EEXIST') return false;
    if (!withoutLinks.has(systemErrorCode(cause))) throw cause;
  }
  if (!(await makeEmpty(path))) return false;
  try {
    return await fill(unfinished, path);
  } catch (cause) {
    if ((await statOf(path))?.size === 0) await rm(path, { force: true });
    throw cause;
  }
}

/** Replaces an empty file that a process left which was killed; false where there is none, or another process does. */
async function replaceAbandoned(unfinished: string, path: string): Promise<boolean> {
  // By the clock of anyone who keeps the folder, which has just written that one.
  const now = (await stat(unfinished)).mtimeMs;
  const isAbandoned = async (file: string): Promise<boolean> => {
    const found = await statOf(file);
    return found?.size === 0 && now - found.mtimeMs >= abandonedAfter;
  };
  if (!(await isAbandoned(path))) return false;
  const turnOf = (turn: number): string => `${path}.replaced-${turn}`;
  let turn = 1;
  // Of many one has the turn; where that one was killed as well, the next one is had.
  for (; !(await makeEmpty(turnOf(turn))); turn += 1) if (!(await isAbandoned(turnOf(turn)))) return false;
  try {
    // Anyone who had a turn before may have done it meanwhile.
    return (await isAbandoned(path)) && (await fill(unfinished, path));
  } finally {
    for (; turn > 0; turn -= 1) await rm(turnOf(turn), { force: true });
  }
}

/** Puts a file in the place of an empty one; false where that is not empty any more, as its maker stood still for too long. */
async function fill(unfinished: string, path: string): Promise<boolean> {
  if ((await statOf(path))?.size !== 0) return false;
  await rename(unfinished, path);
  return true;
}

/** Makes an empty file, by which of many processes one has its name; false where it is there. */
async function makeEmpty(path: string): Promise<boolean> {
  try {
    await (await open(path, 'wx')).close();
    return true;
  } catch (cause) {
    if (systemErrorCode(cause) === 'EEXIST') return false;
    throw cause;
  }
}

function statOf(path: string): Promise<{ readonly size: number; readonly mtimeMs: number } | undefined> {
  return stat(path).catch((cause: unknown) => {
    if (systemErrorCode(cause) === 'ENOENT') return undefined;
    throw cause;
  });
}

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
