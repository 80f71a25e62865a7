import { join } from 'node:path';
import { FuzzError } from '@fuzzqe/core';
import { makeFolder, pathExists, takeLock, writeFileWhole } from '@fuzzqe/files';

/** A file of a data set whose lines were drawn from its graphs. */
export interface DrawnFile {
  /** That of the data set. */
  readonly folder: string;
  readonly path: string;
  /** What its lines are, in the plural. */
  readonly what: string;
  /** The option that draws them. */
  readonly option: string;
}

/**
 * Writes lines that were drawn, and beside them in `….rules.json` what draws them again, with the digest of the lines.
 *
 * @throws FuzzError `usage`: without `replace`, the file is there already.
 */
export async function writeDrawn(
  file: DrawnFile,
  lines: Iterable<string>,
  by: object,
  { replace = false }: { readonly replace?: boolean } = {},
): Promise<void> {
  const queries = join(file.folder, 'queries');
  await makeFolder(queries);
  const lock = await takeLock({ folder: file.folder, prefix: 'queries.', what: queries, patience: 60_000 });
  try {
    if (!replace) await expectNotDrawn(file);
    const { sha256 } = await writeFileWhole(file.path, lines);
    const record = `${JSON.stringify({ ...by, sha256 }, null, 2)}\n`;
    await writeFileWhole(file.path.replace(/\.jsonl$/, '.rules.json'), record);
  } finally {
    await lock.release();
  }
}

/**
 * Refuses to replace a file that is there.
 *
 * @throws FuzzError `usage`.
 */
export async function expectNotDrawn({ path, what, option }: DrawnFile): Promise<void> {
  if (await pathExists(path))
    throw new FuzzError('usage', `the data set has ${what} already`, {
      path,
      hint: `Leave ${option} out, or replace them (--replace).`,
    });
}
