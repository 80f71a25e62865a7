import { basename, join, resolve } from 'node:path';
import { importQuerySet, readDataset } from '@fuzzqe/data';
import { interruptible } from '../../terminal/interrupt.ts';
import type { NextCommand } from '../../terminal/next-command.ts';
import type { Terminal } from '../../terminal/terminal.ts';

/** What `fuzzqe data add-queries` was told. */
export interface AddQueriesFlags {
  readonly name: string;
  readonly split: 'valid' | 'test';
  readonly licence: string;
  readonly source: string;
  readonly replace?: boolean;
  readonly json?: boolean;
}

/** Does `fuzzqe data add-queries`. */
export async function addQueries(
  terminal: Terminal,
  folder: string,
  file: string,
  { name, split: part, licence, source, replace = false, json }: AddQueriesFlags,
): Promise<NextCommand> {
  const dataset = await readDataset(folder);
  const { record, path, incomplete, checked } = await interruptible(terminal, (signal) =>
    importQuerySet({ folder, dataset, file, name, part, licence, source, replace, signal }),
  );
  if (json) terminal.out(JSON.stringify({ ...record, path, incomplete, checked }));
  else {
    const counts = Object.entries(record.structures).map(([structure, count]) => `${count} ${structure}`);
    terminal.note(`${name} (${licence}), ${part}: ${counts.join(', ')}, in ${path}`);
  }
  if (!checked)
    terminal.note(
      `The data set holds out no ${part} facts, so hard answers could not be held against the graph.`,
    );
  if (incomplete > 0)
    terminal.note(
      `${incomplete} queries do not list every hard answer that the graph has; those they leave out count as wrong.`,
    );
  return ['evaluate', join('runs', basename(resolve(folder))), '--data', folder, '--queries', name];
}
