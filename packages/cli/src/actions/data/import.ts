import { basename } from 'node:path';
import { type HeaderOption, type ImportFormat, importPath, refuseExisting, writeDataset } from '@fuzzqe/data';
import type { NextCommand } from '../../terminal/next-command.ts';
import { createByteProgress } from '../../terminal/progress.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { describeImport } from './describe-import.ts';
import { nextCommandWithData } from './query-files.ts';

/** What `fuzzqe data import` was told. */
export interface ImportFlags {
  readonly out: string;
  readonly format: ImportFormat;
  readonly name?: string;
  readonly licence: string;
  readonly valid?: string;
  readonly test?: string;
  readonly entities?: string;
  readonly relations?: string;
  readonly header: HeaderOption;
  readonly comment?: string;
  readonly ignoreExtra?: boolean;
  readonly labelLanguage: string;
  readonly skipBlank?: boolean;
  readonly dropUnseen?: boolean;
  readonly holdOut?: number;
  readonly seed: number;
  readonly json?: boolean;
}

/** Does `fuzzqe data import`. */
export async function importGraph(
  terminal: Terminal,
  path: string,
  flags: ImportFlags,
): Promise<NextCommand> {
  await refuseExisting(flags.out);
  const { valid, test, entities, relations, format, licence, header, labelLanguage, seed, holdOut } = flags;
  const { comment, ignoreExtra = false, skipBlank = false } = flags;
  const imported = await importPath(path, {
    name: flags.name ?? basename(flags.out),
    unknown: flags.dropUnseen === true ? 'drop' : 'refuse',
    ...{ format, licence, header, ignoreExtra, labelLanguage, skipBlank, seed },
    ...(comment === undefined ? {} : { comment }),
    ...(valid === undefined ? {} : { valid }),
    ...(test === undefined ? {} : { test }),
    ...(entities === undefined ? {} : { entities }),
    ...(relations === undefined ? {} : { relations }),
    ...(holdOut === undefined ? {} : { holdOut }),
    onProgress: createByteProgress(terminal, 'Reading'),
  });
  terminal.status('');
  await writeDataset(flags.out, imported.dataset, imported.queries);
  describeImport(terminal, imported, flags.json === true);
  return nextCommandWithData(flags.out);
}
