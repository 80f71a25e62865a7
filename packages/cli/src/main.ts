import { createRequire } from 'node:module';
import { runCommand } from './run-command.ts';
import { endOnSignals } from './terminal/end-on-signals.ts';
import { processTerminal } from './terminal/terminal.ts';

/** Runs the command line of this process, which ends with the exit code. */
export async function main(): Promise<void> {
  const { version } = createRequire(import.meta.url)('../package.json') as { version: string };
  const terminal = processTerminal();
  endOnSignals(terminal);
  const code = await runCommand(process.argv.slice(2), terminal, version);
  // Not process.exit: output that is still on its way would be cut off.
  process.exitCode ||= code;
}
