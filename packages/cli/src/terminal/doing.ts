import type { Command } from 'commander';
import { type NextCommand, printNextCommand } from './next-command.ts';
import type { Terminal } from './terminal.ts';

/** What a command does with its arguments and flags; gives the command that most people give next. */
type Action<Given extends readonly unknown[]> = (
  terminal: Terminal,
  ...given: Given
) => Promise<NextCommand | undefined> | Promise<void>;

/**
 * The action of a command: `load` imports what the command does, so that help waits for no import.
 *
 * The next command is printed, unless `--json` asks for the result alone.
 */
export function doing<Given extends readonly unknown[]>(
  terminal: Terminal,
  load: () => Promise<Action<Given>>,
): (...given: [...Given, Command]) => Promise<void> {
  return async (...given) => {
    const act = await load();
    // Commander adds the command itself.
    const next = await act(terminal, ...(given.slice(0, -1) as readonly unknown[] as Given));
    const { json } = given.at(-2) as { readonly json?: boolean };
    if (next !== undefined && json !== true) printNextCommand(terminal, next);
  };
}
