import type { Command } from 'commander';
import { configHelp, minutesHelp, refitHelp } from '../options/choices.ts';
import { parseChoice, parseMinutes, parseWholeNumber } from '../options/parse-options.ts';
import { passingRuntimesOption, stepsOption, threadsOption } from '../options/shared-options.ts';
import { doing } from '../terminal/doing.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { addImportOptions } from './data/import-options.ts';

const examples = `
Examples:
  fuzzqe run triples.tsv
  fuzzqe run facts.ttl --out runs/mine --config fb15k-237 --serve
  fuzzqe run scored.csv --header yes --ignore-extra --hold-out 0.05
  fuzzqe run data/fb15k-237

Triples are read as fuzzqe data import reads them. The queries in the
folder of a data set are used; missing queries are sampled.`;

/** Adds `fuzzqe run`. */
export function addRunCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('run <triples>')
    .description(
      'make a verified bundle from triples: import, sample, train, evaluate, export, parity; a stopped run continues',
    )
    .option('--out <folder>', 'folder for data, run and bundle; default: runs/<name>')
    .option('--config <name|file>', configHelp)
    .addOption(stepsOption())
    .option('--minutes <n>', minutesHelp, parseMinutes)
    .option(
      '--seed <n>',
      'seed of the split, the queries, the parameters and the batches',
      parseWholeNumber(0),
    )
    .addOption(threadsOption())
    .addOption(passingRuntimesOption())
    .option(
      '--facts <train|all>',
      'facts that the bundle records: the training facts, or the held-out facts as well; default: all if fuzzqe held them out, train if the files did',
      parseChoice(['train', 'all'], 'choice of facts'),
    )
    .option('--refit', refitHelp)
    .option('--serve', 'answer queries over HTTP: without a model during training, then from the bundle')
    .option('--port <n>', 'port of the API', parseWholeNumber(0, 65_535), 8080)
    .option('--name <name>', 'name of the data set and the bundle; default: the name of the file');
  addImportOptions(command)
    .addHelpText('after', examples)
    .action(doing(terminal, async () => (await import('../actions/run.ts')).runTriples));
}
