import { join } from 'node:path';
import { expectOptions, FuzzError } from '@fuzzqe/core';
import { pathExists } from '@fuzzqe/files';
import { type ImportedBetaE, importBetaE } from '../betae/import-betae.ts';
import type { ImportedDataset } from '../datasets/imported-dataset.ts';
import { isSourceAddress } from '../sources/source-address.ts';
import { findImportFiles, type ImportFormat } from './find-files.ts';
import { type ImportOptions, importDataset } from './import-dataset.ts';

/** What to call a graph, and what its path does not say. */
export interface ImportPathOptions extends Omit<ImportOptions, 'train' | 'format'> {
  /** Default: what the path tells. */
  readonly format?: ImportFormat;
}

/**
 * Imports the facts at a path or an address.
 *
 * A path leads to a file of triples, a folder of files, or a folder in the BetaE layout with its queries. An address names a SPARQL endpoint or a
 * database, with a query: `postgres://user@host/db?query=SELECT…`.
 *
 * @throws FuzzError `usage`: a data set that `writeDataset` wrote; more files, or a share to hold out, for a folder in the BetaE layout. `data`: what the importers throw.
 * @example
 * const { dataset } = await importPath('places.tsv', { name: 'places' });
 */
export async function importPath(
  path: string,
  how: ImportPathOptions,
): Promise<ImportedDataset | ImportedBetaE> {
  expectOptions('importPath', how, ['name']);
  const { format, ...options } = how;
  if (!isSourceAddress(path) && (await pathExists(join(path, 'dataset.json'))))
    throw new FuzzError('usage', 'expected a graph to import, got a data set', {
      path,
      hint: 'It needs no import: fuzzqe data sample, train and run take it as it is.',
    });
  const found = await findImportFiles(path, format);
  const files = given(options);
  if (found.layout === 'files') return importDataset({ ...options, ...found, ...files });
  if (Object.keys(files).length > 0 || options.holdOut !== undefined)
    throw new FuzzError('usage', 'import: expected no files or shares beside the folder, got some', {
      path,
      hint: 'A folder in the BetaE layout brings its own; for other files choose another --format.',
    });
  return importBetaE({ ...options, folder: found.folder });
}

/** The files that were named beside the path. */
function given(options: ImportPathOptions): Pick<ImportOptions, (typeof besideFiles)[number]> {
  return Object.fromEntries(
    besideFiles.flatMap((file) => (options[file] === undefined ? [] : [[file, options[file]]])),
  );
}

const besideFiles = ['valid', 'test', 'entities', 'relations'] as const;
