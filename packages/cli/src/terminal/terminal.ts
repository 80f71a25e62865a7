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
  readonly columns: number;
}

/** The streams of this process as a terminal. */
export function processTerminal(): Terminal {
  const { stdout, stderr } = process;
  // `fuzzqe … | head` closes the pipe when it has seen enough: that is an end and not an error.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
  let shown = false;
  const clear = (): void => {
    if (shown) stderr.write('\r\u001b[2K');
    shown = false;
  };
  return {
    live: stderr.isTTY === true,
    columns: stderr.columns ?? 100,
    out(line) {
      clear();
      stdout.write(`${line}\n`);
    },
    note(line) {
      clear();
      stderr.write(`${line}\n`);
    },
    status(line) {
      clear();
      if (line === '') return;
      stderr.write(line);
      shown = true;
    },
  };
}
