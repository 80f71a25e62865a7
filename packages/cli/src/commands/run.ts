import type { Command } from 'commander';
import type { RunFlags } from '../actions/run.ts';
import { configHelp, minutesHelp, parityRuntimeNames, refitHelp } from '../options/choices.ts';
import {
  defaultThreads,
  parseChoice,
  parseChoices,
  parseMinutes,
  parseWholeNumber,
} from '../options/parse-options.ts';
import { printNextCommand } from '../terminal/next-command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { addImportOptions } from './data/import-options.ts';

const examples = `
Examples:
  fuzzqe run triples.tsv
  fuzzqe run facts.ttl --out runs/mine --config fb15k-237 --serve
  fuzzqe run scored.csv --header yes --ignore-extra --hold-out 0.05
  fuzzqe run data/fb15k-237

Triples are read as fuzzqe data import reads them. A data set's folder, as that
leaves it, is taken with the queries that lie in it; what it lacks is sampled.`;

/** Adds `fuzzqe run`. */
export function addRunCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('run <triples>')
    .description(
      'from triples to a verified bundle: import, sample, train, evaluate, export, parity; goes on where it was stopped',
    )
    .option('--out <folder>', 'where data, run and bundle go; default: runs/<name>')
    .option('--config <name|file>', configHelp)
    .option(
      '--steps <n>',
      'steps to train; at most so many where training goes on until validation stalls',
      parseWholeNumber(1),
    )
    .option('--minutes <n>', minutesHelp, parseMinutes)
    .option(
      '--seed <n>',
      'seed of the split, the queries, the parameters and the batches',
      parseWholeNumber(0),
    )
    .option('--threads <n>', 'threads', parseWholeNumber(1, 256), defaultThreads())
    .option(
      '--runtimes <names>',
      'which must answer as they should, separated by commas (see fuzzqe parity); default: node,web',
      parseChoices(parityRuntimeNames, 'runtime'),
    )
    .option(
      '--facts <train|all>',
      'which facts the bundle records: those trained on, or those held out as well; default: all where fuzzqe held them out, train where the files did',
      parseChoice(['train', 'all'], 'choice of facts'),
    )
    .option('--refit', refitHelp)
    .option('--serve', 'answer queries over HTTP: during the training without a model, then from the bundle')
    .option('--port <n>', 'port of the API', parseWholeNumber(0, 65_535), 8080)
    .option('--name <name>', 'what to call the data set and the bundle; default: the name of the file');
  addImportOptions(command)
    .addHelpText('after', examples)
    .action(async (triples: string, flags: RunFlags) => {
      const { runTriples } = await import('../actions/run.ts');
      const next = await runTriples(terminal, triples, flags);
      if (next !== undefined) printNextCommand(terminal, next);
    });
}
