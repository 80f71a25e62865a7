import { stat } from 'node:fs/promises';
import { FuzzError } from '@fuzzqe/core';
import { readError } from '@fuzzqe/files';
import { isBetaEFolder, listFolder } from '../betae/layout.ts';
import { archivePlaceOf, filesInArchive } from '../files/archives.ts';
import { withoutPacking } from '../files/packings.ts';
import { isSourceAddress, withoutCredentials } from '../sources/source-address.ts';
import { type TripleFormat, tripleEndings, tripleFormats } from '../triples/triple-format.ts';
import type { ImportOptions } from './import-dataset.ts';

/** What an import may be told about the form of what it reads. */
export const importFormats: readonly ImportFormat[] = ['auto', ...tripleFormats, 'betae'];
export type ImportFormat = 'auto' | TripleFormat | 'betae';

/** What stands at a path: a folder in the BetaE layout, or files of triples and names. */
export type FoundFiles =
  | { readonly layout: 'betae'; readonly folder: string }
  | ({ readonly layout: 'files' } & Pick<
      ImportOptions,
      'train' | 'valid' | 'test' | 'entities' | 'relations' | 'format'
    >);

/**
 * Looks at what is to be imported: the address of a source, a file of triples, a folder in the BetaE layout, or a folder or zip archive with train.*, valid.* and
 * test.*, in which files of names go by entities.tsv or entity2text.txt, and relations likewise.
 *
 * @throws FuzzError `data`: nothing there, or a folder without training facts. `usage`: a format that does not fit it.
 * @example
 * const found = await findImportFiles('downloads/umls');
 */
export async function findImportFiles(path: string, format: ImportFormat = 'auto'): Promise<FoundFiles> {
  const isSource = isSourceAddress(path);
  const place = isSource ? undefined : await archivePlaceOf(path);
  const packed = place === undefined ? [] : await filesInArchive(place);
  const isFolder = !isSource && (place === undefined ? await isFolderAt(path) : packed.length !== 1);
  if (format === 'betae' && !isFolder) {
    throw new FuzzError('usage', 'import: expected a folder in the BetaE layout, got none', {
      path: withoutCredentials(path),
      hint: 'Give the folder that has train.txt and stats.txt, or another --format.',
    });
  }
  if (isFolder && (format === 'betae' || (format === 'auto' && (await isBetaEFolder(path))))) {
    if (place === undefined) return { layout: 'betae', folder: path };
    throw new FuzzError('usage', 'import: expected a folder in the BetaE layout, got an archive of one', {
      path,
      hint: 'Unpack it first: its pickles are read as a whole.',
    });
  }
  const form: { readonly format?: TripleFormat } = format === 'auto' || format === 'betae' ? {} : { format };
  if (!isFolder) {
    // The one file in an archive tells its form itself, or the archive does: graph.nt.zip.
    const isTold = place !== undefined && tripleEndings.some((ending) => endsIn(packed[0]!, ending));
    return { layout: 'files', train: isTold ? `${place.archive}/${packed[0]}` : path, ...form };
  }

  const files = await listFolder(path);
  const part = (...names: readonly string[]): string | undefined =>
    names.flatMap((name) => oneOf(name)).at(0);
  /** The file of that name, whatever its ending. */
  const oneOf = (name: string): readonly string[] => {
    const found = tripleEndings.flatMap((ending) => files.find(`${name}.${ending}`) ?? []);
    if (found.length > 1)
      throw new FuzzError('data', `folder: expected one file of ${name}, got ${found.join(' and ')}`, {
        path,
        hint: 'Give the files that you mean: fuzzqe data import TRAIN --valid VALID --test TEST.',
      });
    return found;
  };
  const train = part('train', 'train2id');
  if (train === undefined) {
    throw new FuzzError('data', 'folder: expected training facts, found none', {
      path,
      hint: `Name them train.tsv, or train. with another of ${tripleEndings.join(', ')}.`,
    });
  }
  return {
    layout: 'files',
    train,
    ...form,
    ...present('valid', part('valid', 'dev', 'valid2id')),
    ...present('test', part('test', 'test2id')),
    ...present('entities', files.find('entities.tsv', 'entity2text.txt', 'entity2id.txt')),
    ...present('relations', files.find('relations.tsv', 'relation2text.txt', 'relation2id.txt')),
  };
}

async function isFolderAt(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (cause) {
    throw readError(path, cause);
  }
}

function endsIn(path: string, ending: string): boolean {
  return withoutPacking(path).toLowerCase().endsWith(`.${ending}`);
}

function present<Name extends string>(
  name: Name,
  path: string | undefined,
): { readonly [N in Name]?: string } {
  const found: { [N in Name]?: string } = {};
  if (path !== undefined) found[name] = path;
  return found;
}
