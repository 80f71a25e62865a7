import type { Command } from 'commander';
import { parseWholeNumber } from '../options/parse-options.ts';
import { doing } from '../terminal/doing.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { addAddQueriesCommand } from './data/add-queries.ts';
import { addDownloadCommand } from './data/download.ts';
import { addImportCommand } from './data/import.ts';
import { addPeekCommand } from './data/peek.ts';
import { addSampleCommand } from './data/sample.ts';

/** Adds `fuzzqe data`. */
export function addDataCommand(program: Command, terminal: Terminal): void {
  const data = program
    .command('data')
    .description('make a data set: a graph, its held-out facts and its queries');

  data
    .command('countries')
    .description('make the Countries graph from the npm package world-countries (ODbL)')
    .requiredOption('--out <folder>', 'folder for the data set; new, or with the same data set')
    .option(
      '--seed <n>',
      'seed of the split into training, validation and test facts',
      parseWholeNumber(0),
      0,
    )
    .addHelpText('after', '\nExample:\n  fuzzqe data countries --out data/countries')
    .action(doing(terminal, async () => (await import('../actions/data/countries.ts')).writeCountries));

  addPeekCommand(data, terminal);
  addImportCommand(data, terminal);
  addDownloadCommand(data, terminal);
  addSampleCommand(data, terminal);
  addAddQueriesCommand(data, terminal);

  data
    .command('show <folder>')
    .description('show what a data set holds')
    .option('--json', 'print it as JSON')
    .addHelpText('after', '\nExample:\n  fuzzqe data show data/countries')
    .action(doing(terminal, async () => (await import('../actions/data/show.ts')).showDataset));
}
