import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readError } from '@fuzzqe/files';

/** The parts of a dataset. */
export const parts = ['train', 'valid', 'test'] as const;
export type Part = (typeof parts)[number];

/** The files of a folder by name. */
export interface FolderFiles {
  /** The path of the first of the names that is there, plain or with `.gz`. */
  find(...names: readonly string[]): string | undefined;
}

/**
 * What files a folder has.
 *
 * @throws FuzzError `data`: a folder that cannot be read.
 */
export async function listFolder(folder: string): Promise<FolderFiles> {
  const names = new Set(
    await readdir(folder).catch((cause: unknown) => {
      throw readError(folder, cause);
    }),
  );
  return {
    find(...wanted) {
      const found = wanted.flatMap((name) => [name, `${name}.gz`]).find((name) => names.has(name));
      return found === undefined ? undefined : join(folder, found);
    },
  };
}

/** Whether a folder is in the layout of the BetaE data sets: facts as ids, with their count or pickled names. */
export async function isBetaEFolder(folder: string): Promise<boolean> {
  const files = await listFolder(folder);
  return (
    files.find('train.txt') !== undefined && files.find('stats.txt', 'id2ent.pkl', 'ent2id.pkl') !== undefined
  );
}
