import { escapeControlCharacters } from '@fuzzqe/core/text';
import { exitCodes } from './exit-code.ts';

/** Where a command writes. Results go to `out`, everything about the work itself to `note`. */
export interface Terminal {
  /** A line of the result, on standard output. */
  out(line: string): void;
  /** A line about the work, on standard error. */
  note(line: string): void;
  /** Replaces the line that `status` wrote last, where the terminal can; '' removes it. */
  status(line: string): void;
  /** Whether `status` can replace lines: a person is looking. */
  readonly live: boolean;
  /** How wide a line may be. */
  readonly columns: number;
}

/** A stream that text is written to. */
export interface TextStream {
  write(text: string): unknown;
  on(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Where nobody says how wide it is: a file, a pipe. */
const usualColumns = 80;

/** Two streams as a terminal, by default those of this process; control characters in a text are written out. */
export function processTerminal(
  stdout: TextStream = process.stdout,
  stderr: TextStream = process.stderr,
): Terminal {
  let isRead = true;
  stdout.on('error', (error) => {
    // `fuzzqe … | head` closes the pipe when it has seen enough. That is no error, and the work, which may be half done, goes on.
    isRead &&= error.code !== 'EPIPE';
    if (!isRead) return;
    stderr.write(`fuzzqe: standard output: cannot be written (${error.code ?? error.message})\n`);
    process.exit(exitCodes.storage);
  });
  // Nobody reads what is said of the work, or its disk is full: the work goes on.
  stderr.on('error', () => undefined);
  let shown = false;
  const clear = (): void => {
    if (shown) stderr.write('\r\u001b[2K');
    shown = false;
  };
  return {
    live: stderr.isTTY === true,
    // A terminal whose size nobody has set yet says 0, as that of a container may.
    columns: stdout.columns || stderr.columns || usualColumns,
    out(line) {
      clear();
      if (isRead) stdout.write(`${escapeControlCharacters(line)}\n`);
    },
    note(line) {
      clear();
      stderr.write(`${escapeControlCharacters(line)}\n`);
    },
    status(line) {
      clear();
      if (line === '') return;
      stderr.write(escapeControlCharacters(line));
      shown = true;
    },
  };
}
