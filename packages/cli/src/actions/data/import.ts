import { basename } from 'node:path';
import { FuzzError } from '@fuzzqe/core';
import {
  findImportFiles,
  type ImportedBetaE,
  type ImportedDataset,
  importBetaE,
  importDataset,
  refuseExisting,
  writeDataset,
} from '@fuzzqe/data';
import type { ImportFlags } from '../../commands/data/import.ts';
import type { NextCommand } from '../../terminal/next-command.ts';
import { createByteProgress } from '../../terminal/progress.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { describeImport } from './describe-import.ts';
import { nextWithData } from './query-files.ts';

/** Does `fuzzqe data import`. */
export async function importGraph(
  terminal: Terminal,
  path: string,
  flags: ImportFlags,
): Promise<NextCommand> {
  await refuseExisting(flags.out);
  const imported = await importPath(path, flags, createByteProgress(terminal, 'Reading'));
  terminal.status('');
  await writeDataset(flags.out, imported.dataset, imported.queries);
  describeImport(terminal, imported, flags.json === true);
  return nextWithData(flags.out);
}

async function importPath(
  path: string,
  flags: ImportFlags,
  onProgress: (done: number, total: number) => void,
): Promise<ImportedDataset | ImportedBetaE> {
  const found = await findImportFiles(path, flags.format);
  const shared = {
    name: flags.name ?? basename(flags.out),
    licence: flags.licence,
    unknown: flags.dropUnseen === true ? ('drop' as const) : ('refuse' as const),
    onProgress,
  };
  const { valid, test, entities, relations } = flags;
  if (found.layout === 'betae') {
    if ([valid, test, entities, relations].some((file) => file !== undefined)) {
      throw new FuzzError('usage', 'import: expected no more files than the folder, got some', {
        path,
        hint: 'A folder in the BetaE layout brings its own; for other files choose another --format.',
      });
    }
    return importBetaE({ ...shared, folder: found.folder });
  }
  const { layout: _layout, ...files } = found;
  return importDataset({
    ...shared,
    ...files,
    ...(valid === undefined ? {} : { valid }),
    ...(test === undefined ? {} : { test }),
    ...(entities === undefined ? {} : { entities }),
    ...(relations === undefined ? {} : { relations }),
    header: flags.header,
    labelLanguage: flags.labelLanguage,
    seed: flags.seed,
  });
}
