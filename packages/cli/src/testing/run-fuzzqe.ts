import { runCommand } from '../run-command.ts';

/** A command's outcome: exit code, standard output, standard error. */
export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly notes: string;
}

/** Runs the command as if it wrote to files, and gives what it wrote. */
export async function runFuzzqe(...args: readonly string[]): Promise<Outcome> {
  const [out, notes]: [string[], string[]] = [[], []];
  const code = await runCommand(
    args,
    {
      out: (line) => out.push(line),
      note: (line) => notes.push(line),
      status: () => {},
      live: false,
      columns: 80,
    },
    '0.0.0-test',
  );
  return { code, out: out.join('\n'), notes: notes.join('\n') };
}
