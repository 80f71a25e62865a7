import { type PeekedFile, peekPath, withoutCredentials } from '@fuzzqe/data';
import type { NextCommand } from '../../terminal/next-command.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { findingsOf } from './describe-import.ts';
import { type ImportOptionFlags, importOptionsOf, readingArguments } from './import-options.ts';

/** What `fuzzqe data peek` was told. */
export interface PeekFlags extends ImportOptionFlags {
  readonly json?: boolean;
}

/** Does `fuzzqe data peek`. */
export async function peekAtGraph(terminal: Terminal, path: string, flags: PeekFlags): Promise<NextCommand> {
  const files = await peekPath(path, importOptionsOf(flags));
  if (flags.json) terminal.out(JSON.stringify(files));
  else for (const file of files) describe(terminal, file);
  return ['data', 'import', withoutCredentials(path), ...readingArguments(flags), '--out', 'data/mine'];
}

function describe(
  terminal: Terminal,
  { path, format, facts, first, attributes, leftOut, notes }: PeekedFile,
): void {
  terminal.out(`${path}: ${format}, ${facts} facts`);
  for (const note of notes) terminal.out(note);
  if (attributes > 0) terminal.out(`${attributes} numbers, dates, booleans and texts are attributes`);
  for (const finding of findingsOf(leftOut)) terminal.out(finding);
  if (first.length > 0) terminal.out(`head | relation | tail, the first ${first.length}:`);
  for (const fact of first) terminal.out(`  ${fact.join(' | ')}`);
}
