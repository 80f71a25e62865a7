import type { Command } from 'commander';
import { doing } from '../../terminal/doing.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { addReadingOptions } from './import-options.ts';

const examples = `
Example:
  fuzzqe data peek export.csv
  fuzzqe data peek ratings.csv --columns 'head=user,relation="likes",tail=film'
  fuzzqe data peek films.csv --table film`;

/** Adds `fuzzqe data peek`. */
export function addPeekCommand(data: Command, terminal: Terminal): void {
  const command = data
    .command('peek <path>')
    .description(
      'what an import would read of a file: form, columns, ten facts, what it leaves out; writes nothing',
    );
  addReadingOptions(command)
    .option('--json', 'print it as JSON')
    .addHelpText('after', examples)
    .action(doing(terminal, async () => (await import('../../actions/data/peek.ts')).peekAtGraph));
}
