import { access, constants, open, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { storageError, systemErrorCode } from '@fuzzqe/core';
import { expectParity, formatHtml, formatMatrix, runParity, summaryOf } from '@fuzzqe/parity';
import type { parityRuntimeNames } from '../options/choices.ts';
import { signatureOptions } from '../options/read-key.ts';
import { interruptible } from '../terminal/interrupt.ts';
import type { NextCommand } from '../terminal/next-command.ts';
import { createProgress } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** What `fuzzqe parity` was told. */
export interface ParityFlags {
  /** A file. */
  readonly requireSignature?: string;
  readonly runtimes?: typeof parityRuntimeNames;
  readonly profiles?: string;
  readonly fresh: number;
  readonly trees: number;
  readonly seed: number;
  readonly json?: boolean;
  readonly html?: string;
}

/** Does `fuzzqe parity`. */
export async function compareRuntimes(
  terminal: Terminal,
  bundle: string,
  flags: ParityFlags,
): Promise<NextCommand> {
  const { fresh, trees, seed } = flags;
  if (flags.html !== undefined) await expectHtml(flags.html);
  const progress = createProgress(terminal, 'Comparing', 'answers');
  const profiles =
    flags.profiles === undefined
      ? {}
      : { profiles: [...new Set(flags.profiles.split(',').map((name) => name.trim()))] };
  const signature = await signatureOptions(flags.requireSignature);
  const matrix = await interruptible(terminal, (signal) =>
    runParity({
      bundle,
      ...signature,
      runtimes: flags.runtimes,
      ...profiles,
      fresh,
      trees,
      seed,
      onProgress: progress.update,
      onNote: terminal.note,
      signal,
    }),
  );
  progress.finish(summaryOf(matrix.cells));
  if (flags.json) terminal.out(JSON.stringify(matrix));
  else formatMatrix(matrix).forEach(terminal.out);
  if (flags.html !== undefined) await writeHtml(flags.html, await formatHtml(matrix));
  expectParity(matrix);
  return ['names', bundle, '--relations'];
}

const cannotBeWritten = (file: string) => (cause: unknown) => {
  throw storageError('--html: cannot be written', file, cause);
};

/** Tells before minutes of work whether the page can be written at their end. */
async function expectHtml(file: string): Promise<void> {
  const opened = await open(file, 'r+').catch(async (cause: unknown) => {
    if (systemErrorCode(cause) !== 'ENOENT') return cannotBeWritten(file)(cause);
    await access(dirname(resolve(file)), constants.W_OK).catch(cannotBeWritten(file));
    return undefined;
  });
  await opened?.close();
}

async function writeHtml(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch(cannotBeWritten(file));
}
