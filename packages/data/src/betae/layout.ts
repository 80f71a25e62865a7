import { readdir } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { FuzzError } from '@fuzzqe/core';
import { readError } from '@fuzzqe/files';
import { archivePlaceOf, filesInArchive } from '../files/archives.ts';
import { packedEndings } from '../files/packings.ts';

/** The parts of a dataset. */
export const parts = ['train', 'valid', 'test'] as const;
export type Part = (typeof parts)[number];

/** The files of a folder by name. */
export interface FolderFiles {
  /** The path of the first of the names that is there, plain or compressed. */
  find(...names: readonly string[]): string | undefined;
}

/**
 * What files a folder has, or the place in a zip archive that a path names.
 *
 * @throws FuzzError `data`: a folder or archive that cannot be read; of an archive, a name that two of its folders have.
 */
export async function listFolder(folder: string): Promise<FolderFiles> {
  const paths = new Map<string, string[]>();
  const add = (name: string, path: string): unknown => paths.set(name, [...(paths.get(name) ?? []), path]);
  const place = await archivePlaceOf(folder);
  if (place === undefined) {
    const names = await readdir(folder).catch((cause: unknown) => {
      throw readError(folder, cause);
    });
    for (const name of names) add(name, join(folder, name));
  } else
    for (const file of await filesInArchive(place)) add(posix.basename(file), `${place.archive}/${file}`);
  return {
    find(...wanted) {
      for (const name of wanted.flatMap((each) => [each, ...packedEndings.map((end) => `${each}.${end}`)])) {
        const [path, other] = paths.get(name) ?? [];
        if (other !== undefined)
          throw new FuzzError('data', `archive: expected one ${name}, got ${path} and ${other}`, {
            path: folder,
            hint: `Give one of its folders, as in ${posix.dirname(path!)}.`,
          });
        if (path !== undefined) return path;
      }
      return undefined;
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
