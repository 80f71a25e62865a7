import { expectParity, formatHtml, formatMatrix, runParity, summaryOf } from '@fuzzqe/parity';
import type { parityRuntimeNames } from '../options/choices.ts';
import { signatureOptions } from '../options/read-key.ts';
import { pageFile } from '../report/page-file.ts';
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
  const writePage = flags.html === undefined ? undefined : await pageFile(flags.html, '--html');
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
  await writePage?.(await formatHtml(matrix));
  expectParity(matrix);
  return ['names', bundle, '--relations'];
}
