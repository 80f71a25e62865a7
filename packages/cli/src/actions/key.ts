import { appendFile, readFile } from 'node:fs/promises';
import { createAccessKey, parseAccessKeys } from '@fuzzqe/serve';
import type { Terminal } from '../terminal/terminal.ts';

/** What `fuzzqe key` was told. */
export interface KeyFlags {
  readonly file?: string;
  readonly json?: boolean;
}

/** Does `fuzzqe key`. */
export async function makeKey(terminal: Terminal, name: string, flags: KeyFlags): Promise<void> {
  const { key, line } = createAccessKey(name);
  if (flags.file !== undefined) {
    const before = await readFile(flags.file, 'utf8').catch(() => '');
    const text = before === '' || before.endsWith('\n') ? `${line}\n` : `\n${line}\n`;
    // A name that the file has already is refused before it is written.
    parseAccessKeys(before + text, flags.file);
    await appendFile(flags.file, text, { mode: 0o600 });
  }
  if (flags.json) return terminal.out(JSON.stringify({ name, key, line }));
  terminal.out(key);
  terminal.note(
    flags.file === undefined
      ? `Shown only now. The line for the file of keys:\n${line}`
      : `Shown only now. ${flags.file} has its digest.`,
  );
}
