import { basename } from 'node:path';
import { importPath, refuseExisting, writeDataset } from '@fuzzqe/data';
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
  return nextWithData(flags.out);
}
