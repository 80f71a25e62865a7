import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { type ExportOptions, exportBundle } from '@fuzzqe/export';

/** The files of exported bundles, by what the bundles were exported from. */
const exported = new Map<string, readonly (readonly [path: string, bytes: Uint8Array])[]>();

/**
 * Exports a bundle, or writes the files of an earlier export with the same key: the same input gives the same bytes, and tests open the
 * same few bundles. `key` stands for the whole input but the folder.
 *
 * @throws FuzzError those of `exportBundle`.
 */
export async function exportOnce(key: string, options: ExportOptions): Promise<void> {
  const { directory } = options;
  const files = exported.get(key);
  if (files === undefined || !(await isVacant(directory))) {
    await exportBundle(options);
    exported.set(key, await filesIn(directory));
    return;
  }
  // A server that looks for versions meets a whole bundle, as after an export.
  const temporary = join(dirname(directory), `.${basename(directory)}.copy`);
  for (const [path, bytes] of files) {
    await mkdir(dirname(join(temporary, path)), { recursive: true });
    await writeFile(join(temporary, path), bytes);
  }
  await rename(temporary, directory);
}

const isVacant = (directory: string): Promise<boolean> =>
  readdir(directory).then(
    (names) => names.length === 0,
    () => true,
  );

async function filesIn(directory: string): Promise<[path: string, bytes: Uint8Array][]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return Promise.all(
    paths.map(async (path) => [relative(directory, path), await readFile(path)] as [string, Uint8Array]),
  );
}
