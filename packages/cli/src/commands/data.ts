import { type Dataset, importDataset, loadCountries, readDataset, writeDataset } from '@fuzzqe/train';
import { type Command, Option } from 'commander';
import type { Terminal } from '../terminal/terminal.ts';
import { wholeNumber } from './options.ts';
import { queryParts, readQueryPart } from './query-files.ts';
import { addSampleCommand } from './sample.ts';

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

  data
    .command('import <triples>')
    .description('your own graph: lines of head, relation and tail, separated by tabs')
    .requiredOption('--out <folder>', 'where the data set goes; a folder that does not exist yet')
    .option('--name <name>', 'what to call the data set', 'imported')
    .option('--licence <spdx>', 'licence of the facts', 'unknown')
    .option('--valid <triples>', 'validation facts; without them a tenth is held out')
    .option('--test <triples>', 'test facts; without them a tenth is held out')
    .option('--drop-unseen', 'leave out held-out facts about entities that no training fact names')
    .option('--seed <n>', 'seed of the split', wholeNumber(0), 0)
    .option('--json', 'print the counts as JSON')
    .addHelpText('after', '\nExample:\n  fuzzqe data import triples.tsv --name mine --out data/mine')
    .action(async (triples: string, options: ImportFlags) => {
      const { dataset, ...counts } = await importDataset({
        name: options.name,
        licence: options.licence,
        train: triples,
        seed: options.seed,
        ...(options.valid === undefined ? {} : { valid: options.valid }),
        ...(options.test === undefined ? {} : { test: options.test }),
        ...(options.dropUnseen ? { unknown: 'drop' as const } : {}),
      });
      await writeDataset(options.out, dataset);
      if (options.json) {
        terminal.out(JSON.stringify({ ...countsOf(dataset), ...counts }));
        return;
      }
      describeDataset(dataset).forEach(terminal.note);
      for (const [what, count] of Object.entries(counts))
        if (count > 0) terminal.note(`${count} facts ${what}`);
    });

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

interface ImportFlags {
  readonly out: string;
  readonly name: string;
  readonly licence: string;
  readonly valid?: string;
  readonly test?: string;
  readonly dropUnseen?: boolean;
  readonly seed: number;
  readonly json?: boolean;
}

/** The size of a data set. */
export function countsOf(dataset: Dataset): Record<string, string | number> {
  return {
    name: dataset.name,
    licence: dataset.licence,
    entities: dataset.vocabulary.entityCount,
    relations: dataset.vocabulary.relationCount / 2,
    train: dataset.train.length / 3,
    valid: dataset.valid.length / 3,
    test: dataset.test.length / 3,
  };
}

/** A data set in two lines. */
export function describeDataset(dataset: Dataset): string[] {
  const counts = countsOf(dataset);
  return [
    `${counts['name']} (${counts['licence']}): ${counts['entities']} entities, ${counts['relations']} relations and their inverses`,
    `facts: ${counts['train']} to learn from, ${counts['valid']} held out for validation, ${counts['test']} for the test`,
  ];
}
