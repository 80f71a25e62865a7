import { basename } from 'node:path';
import { expectNewFolder, importPath, writeDataset } from '@fuzzqe/data';
import { queryOf } from '../../names/example-query.ts';
import type { NextCommand } from '../../terminal/next-command.ts';
import { createByteProgress } from '../../terminal/progress.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { describeImport } from './describe-import.ts';
import { type ImportOptionFlags, importOptionsOf } from './import-options.ts';
import { nextCommandWithData } from './query-files.ts';

/** What `fuzzqe data import` was told. */
export interface ImportFlags extends ImportOptionFlags {
  readonly out: string;
  readonly name?: string;
  readonly seed: number;
  readonly json?: boolean;
}

/** Does `fuzzqe data import`. */
export async function importGraph(
  terminal: Terminal,
  path: string,
  flags: ImportFlags,
): Promise<NextCommand> {
  await expectNewFolder(flags.out);
  const imported = await importPath(path, {
    ...importOptionsOf(flags),
    name: flags.name ?? basename(flags.out),
    seed: flags.seed,
    onProgress: createByteProgress(terminal, 'Reading'),
  });
  terminal.status('');
  await writeDataset(flags.out, imported.dataset, imported.queries);
  describeImport(terminal, imported, flags.json === true);
  const { vocabulary, train } = imported.dataset;
  return nextCommandWithData(flags.out, queryOf(vocabulary, train[0], train[1]));
}
