import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { FuzzError, schema, storageError, systemErrorCode } from '@fuzzqe/core';
import { bundlePaths } from '@fuzzqe/core/bundle';

/**
 * Fills a folder whole or not at all: a temporary folder beside it is filled and flushed, then renamed.
 *
 * What stood there before is replaced only if it is a bundle and nothing but a bundle, or empty, and only when the
 * new folder is complete. `fill` gets the temporary folder.
 *
 * @throws FuzzError `usage`: something else stands there. `storage`: the disk refuses.
 */
export async function replaceFolder<T>(
  directory: string,
  fill: (temporary: string) => Promise<T>,
): Promise<T> {
  const target = await resolveTarget(directory);
  const exists = await checkReplaceable(target);
  const parent = dirname(target);
  return onDisk(target, async () => {
    await makeFolders(parent);
    const temporary = siblingOf(target, 'new');
    await mkdir(temporary);
    try {
      const result = await fill(temporary);
      await syncFolders(temporary);
      if (exists) await swap(temporary, target);
      else await rename(temporary, target);
      await syncFolder(parent);
      return result;
    } finally {
      await rm(temporary, { recursive: true, force: true });
    }
  });
}

/** Makes a folder and those above it, one by one: Node's own way (`recursive`) never ends below /proc. */
export async function makeFolders(folder: string): Promise<void> {
  const there = await stat(folder).catch(() => undefined);
  if (there?.isDirectory() === true) return;
  if (dirname(folder) !== folder) await makeFolders(dirname(folder));
  await mkdir(folder).catch(async (cause: unknown) => {
    // Another process may have made it in the meantime.
    if ((await stat(folder).catch(() => undefined))?.isDirectory() !== true) throw cause;
  });
}

/** A link to a folder keeps pointing to it: what it points to is replaced. */
async function resolveTarget(directory: string): Promise<string> {
  try {
    return await realpath(directory);
  } catch {
    return resolve(directory);
  }
}

/** No step of this loses the old bundle: it is removed when the new one stands in its place. */
async function swap(temporary: string, target: string): Promise<void> {
  const old = siblingOf(target, 'old');
  await rename(target, old);
  try {
    await rename(temporary, target);
  } catch (cause) {
    await rename(old, target);
    throw cause;
  }
  await rm(old, { recursive: true, force: true });
}

/** A new name beside the target, on the same disk, so that a rename is one step. */
function siblingOf(target: string, purpose: 'new' | 'old'): string {
  return join(dirname(target), `.${basename(target)}.${purpose}-${randomUUID()}`);
}

/** Whether something stands there. Throws: 'usage' where it must not be replaced. */
async function checkReplaceable(target: string): Promise<boolean> {
  const found = await stat(target).catch(() => undefined);
  if (found === undefined) return false;
  if (!found.isDirectory()) throw notABundle(target, 'a file');
  const present = await listFiles(target);
  if (present.length === 0) return true;
  const named = await filesOfBundle(target);
  if (named === undefined) throw notABundle(target, `a folder with ${present.length} other files`);
  const foreign = present.find((path) => path !== bundlePaths.manifest && !named.has(path));
  if (foreign !== undefined) throw notABundle(target, `a bundle with a file that is not its own: ${foreign}`);
  return true;
}

// Only enough to recognise a bundle: an older or newer one may be replaced, too.
const anyBundle = schema.partOf({
  format: schema.oneOf(['fuzzqe-bundle']),
  files: schema.withDefault(schema.record(schema.anything), {}),
});

async function filesOfBundle(directory: string): Promise<ReadonlySet<string> | undefined> {
  const text = await readFile(join(directory, bundlePaths.manifest), 'utf8').catch(() => undefined);
  const bundle = text === undefined ? undefined : schema.recogniseJson(anyBundle, text);
  return bundle === undefined ? undefined : new Set(Object.keys(bundle.files));
}

function notABundle(path: string, got: string): FuzzError {
  return new FuzzError('usage', `output folder: expected a bundle or an empty or new folder, got ${got}`, {
    path,
    hint: 'Choose another folder; what stands there is left as it is.',
  });
}

async function syncFolders(directory: string): Promise<void> {
  const folders = new Set((await listFiles(directory)).map((path) => dirname(path)));
  for (const folder of folders) await syncFolder(join(directory, folder));
  await syncFolder(directory);
}

/** A file lasts through a power cut only when its folder is flushed, too. */
async function syncFolder(path: string): Promise<void> {
  // Some systems cannot open a folder; there the rename itself has to do.
  const folder = await open(path, 'r').catch(() => undefined);
  if (folder === undefined) return;
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Every file and link below a folder, sorted, as paths from the folder with `/` between folders. */
export async function listFiles(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}

/** Says what the disk refused. Throws: `storage` instead of an error of the system. */
export async function onDisk<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (systemErrorCode(cause) === undefined) throw cause;
    throw storageError('cannot write the bundle', path, cause, 'what was there before is untouched');
  }
}
