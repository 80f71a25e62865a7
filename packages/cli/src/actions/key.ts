import { appendFile, readFile } from 'node:fs/promises';
import { FuzzError } from '@fuzzqe/core';
import { storageError, systemErrorCode } from '@fuzzqe/files';
import { createAccessKey, parseAccessKeys } from '@fuzzqe/serve';
import type { Terminal } from '../terminal/terminal.ts';

/** What `fuzzqe key` was told. */
export interface KeyFlags {
  readonly file?: string;
  /** Whether the key may change facts. */
  readonly write?: boolean;
  readonly json?: boolean;
}

/** Does `fuzzqe key`. */
export async function makeKey(terminal: Terminal, name: string, flags: KeyFlags): Promise<void> {
  const { key, line: stored } = createAccessKey(name);
  const line = flags.write === true ? `${stored} write` : stored;
  if (flags.file !== undefined) await addLine(flags.file, name, line);
  if (flags.json) return terminal.out(JSON.stringify({ name, key, line }));
  terminal.out(key);
  terminal.note(
    flags.file === undefined
      ? `Shown only now. The line for the file of keys:\n${line}`
      : `Shown only now. ${flags.file} has its digest.`,
  );
}

/** Appends the line of a key to a file of them, which is made where there is none. Throws: `usage`, `config`, `storage`. */
async function addLine(file: string, name: string, line: string): Promise<void> {
  try {
    const before = await readThere(file);
    const place = before.split('\n').findIndex((each) => each.trim().split(/\s/)[0] === name);
    if (place >= 0)
      throw new FuzzError('usage', `expected a new name, got one that has a key already: ${name}`, {
        path: `${file}:${place + 1}`,
        hint: 'Choose another name, or remove that line: its key is let in no more then.',
      });
    const text = before === '' || before.endsWith('\n') ? `${line}\n` : `\n${line}\n`;
    // Other lines that are not as they should be are refused before anything is written.
    parseAccessKeys(before + text, file);
    await appendFile(file, text, { mode: 0o600 });
  } catch (cause) {
    if (cause instanceof FuzzError) throw cause;
    if (systemErrorCode(cause) === 'EISDIR')
      throw new FuzzError('usage', 'expected a file of keys, got a folder', {
        path: file,
        hint: 'Name a file; it is made where there is none.',
        cause,
      });
    throw storageError('file of keys', file, cause, 'no key was added');
  }
}

async function readThere(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    if (systemErrorCode(cause) === 'ENOENT') return '';
    throw cause;
  }
}
