import { CommanderError } from 'commander';
import { createCommand } from './program.ts';
import { exitCodes } from './terminal/exit-code.ts';
import type { Terminal } from './terminal/terminal.ts';

/** Runs the command line `args` (without the program's own name) and gives the exit code. */
export async function runCommand(
  args: readonly string[],
  terminal: Terminal,
  version: string,
): Promise<number> {
  try {
    await createCommand(terminal, version).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
    // Loaded where it is needed: help and the version need nothing of core.
    const { FuzzError } = await import('@fuzzqe/core');
    if (error instanceof FuzzError) {
      terminal.note(`fuzzqe: ${error.toString()}`);
      return exitCodes[error.code];
    }
    terminal.note(
      `fuzzqe: a defect of this program: ${error instanceof Error ? error.stack : String(error)}`,
    );
    return 1;
  } finally {
    terminal.status('');
  }
}
