import type { Command } from 'commander';
import { doing } from '../terminal/doing.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Adds `fuzzqe key`. */
export function addKeyCommand(program: Command, terminal: Terminal): void {
  program
    .command('key <name>')
    .description('create an API key for fuzzqe serve; only its SHA-256 is stored')
    .option('--file <file>', 'append the line of the key to this file')
    .option('--write', 'let the key change facts')
    .option('--json', 'print the key and its line as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  fuzzqe key ann --file keys.txt\n  fuzzqe serve bundles/countries --keys keys.txt',
    )
    .action(doing(terminal, async () => (await import('../actions/key.ts')).makeKey));
}
