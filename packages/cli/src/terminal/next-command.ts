import { quoteArgument } from '@fuzzqe/core/text';
import type { Terminal } from './terminal.ts';

/** The arguments of the command that most people give next; `…` stands in them for what only the user can say. */
export type NextCommand = readonly string[];

/** Prints the next command on standard error, as it was started: `npx fuzzqe` or `fuzzqe`. */
export function printNextCommand(terminal: Terminal, next: NextCommand): void {
  const program = process.env['npm_command'] === 'exec' ? 'npx fuzzqe' : 'fuzzqe';
  terminal.note(`Next: ${[program, ...next.map(quoteArgument)].join(' ')}`);
}
