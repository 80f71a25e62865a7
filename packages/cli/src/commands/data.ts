import { loadCountries, readDataset, writeDataset } from '@fuzzqe/train';
import { type Command, Option } from 'commander';
import type { Terminal } from '../terminal/terminal.ts';
import { countsOf, describeDataset } from './data/describe.ts';
import { addDownloadCommand } from './data/download.ts';
import { addImportCommand } from './data/import.ts';
import { wholeNumber } from './options.ts';
import { queryParts, readQueryPart } from './query-files.ts';
import { addSampleCommand } from './sample.ts';

export { describeDataset } from './data/describe.ts';

/** Adds `fuzzqe data`. */
export function addDataCommand(program: Command, terminal: Terminal): void {
  const data = program
    .command('data')
    .description('build a data set: a graph, its held-out facts and its queries');

  data
    .command('countries')
    .description('the Countries graph from the npm package world-countries (ODbL)')
    .requiredOption('--out <folder>', 'where the data set goes; a folder that does not exist yet')
    .option('--seed <n>', 'seed of the split into training, validation and test facts', wholeNumber(0), 0)
    .addHelpText(
      'after',
      '\nExample:\n  fuzzqe data countries --out data/countries && fuzzqe data sample data/countries',
    )
    .action(async ({ out, seed }: { out: string; seed: number }) => {
      const dataset = loadCountries({ seed });
      await writeDataset(out, dataset);
      describeDataset(dataset).forEach(terminal.note);
    });

  addImportCommand(data, terminal);
  addDownloadCommand(data, terminal);
  addSampleCommand(data, terminal);

  data
    .command('show <folder>')
    .description('what a data set holds')
    .addOption(new Option('--json', 'print it as JSON'))
    .addHelpText('after', '\nExample:\n  fuzzqe data show data/countries')
    .action(async (folder: string, { json }: { json?: boolean }) => {
      const dataset = await readDataset(folder);
      const queries: Record<string, number> = {};
      for (const part of queryParts) {
        const found = await readQueryPart(folder, dataset, part).catch(() => []);
        queries[part] = found.reduce((sum, each) => sum + each.count, 0);
      }
      if (json) {
        terminal.out(JSON.stringify({ ...countsOf(dataset), queries }));
        return;
      }
      describeDataset(dataset).forEach(terminal.out);
      terminal.out(`queries: ${queryParts.map((part) => `${queries[part]} ${part}`).join(', ')}`);
    });
}
