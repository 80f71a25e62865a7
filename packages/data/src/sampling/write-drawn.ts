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
  await duringQueriesLock(file.folder, async () => {
    if (!replace) await expectNotDrawn(file);
    await writeWithRules(file.path, lines, by);
  });
}

/** Makes the folder of a data set's queries, and works while no other process writes there: queries would stand next to the rules of others. */
export async function duringQueriesLock(folder: string, work: () => Promise<void>): Promise<void> {
  const queries = join(folder, 'queries');
  await makeFolder(queries);
  const lock = await takeLock({ folder, prefix: 'queries.', what: queries, patience: 60_000 });
  try {
    await work();
  } finally {
    await lock.release();
  }
}

/** Writes lines into `….jsonl`, and into `….rules.json` what draws them again, with the digest of the lines. */
export async function writeWithRules(path: string, lines: Iterable<string>, by: object): Promise<void> {
  const { sha256 } = await writeFileWhole(path, lines);
  const record = `${JSON.stringify({ ...by, sha256 }, null, 2)}\n`;
  await writeFileWhole(path.replace(/\.jsonl$/, '.rules.json'), record);
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
