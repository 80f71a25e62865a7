import { Argument, type Command } from 'commander';
import { reproducedTables } from '../options/choices.ts';
import { parseMinutes, parseSeeds, parseWholeNumber } from '../options/parse-options.ts';
import { threadsOption } from '../options/shared-options.ts';
import { doing } from '../terminal/doing.ts';
import type { Terminal } from '../terminal/terminal.ts';

const examples = `
Tables:
  laws, 2      laws of logic that each family of models keeps
  accuracy, 3  MRR of families that are trained on all structures
  links, 4     MRR of families that are trained on link prediction only
  times, H     time of an answer

Every family is trained with every seed, and measured in every answer mode.
Figures that the paper prints stand below. The folder gets a page (TABLE.md)
and the same as JSON. The same command goes on where it was stopped, and
computes no finished figure again; with more --minutes, runs that were stopped
at their budget go on.

Examples:
  fuzzqe reproduce links
  fuzzqe reproduce 4 --seeds 1 --minutes 2
  fuzzqe reproduce accuracy --data data/fb15k-237 --minutes 60`;

/** Adds `fuzzqe reproduce`. */
export function addReproduceCommand(program: Command, terminal: Terminal): void {
  program
    .command('reproduce')
    .description('make a table of the paper: train every family of models, and compare; Ctrl-C stops safely')
    .addArgument(
      new Argument('<table>', 'which table').choices([
        ...Object.keys(reproducedTables),
        ...Object.values(reproducedTables),
      ]),
    )
    .option(
      '--data <folder|name>',
      'a data set or triples; fb15k-237 and nell995 are data/NAME of fuzzqe data download',
      'countries',
    )
    .option(
      '--out <folder>',
      'folder for tables, runs and a copy of the data; default: runs/reproduce/<data>',
    )
    .option(
      '--seeds <list>',
      'seeds of training, as in 1,2,3; default: 1,2,3, and 1 for laws and times',
      parseSeeds,
    )
    .option(
      '--minutes <n>',
      'minutes for the training of each run; default: 15 if --steps does not limit it',
      parseMinutes,
    )
    .option(
      '--steps <n>',
      'most training steps of each run; few steps show the table, with worse figures',
      parseWholeNumber(1),
    )
    .option(
      '--each <n>',
      'at most this many queries of each structure; default: 250, and 100 of large graphs',
      parseWholeNumber(1),
    )
    .option('--families <list>', 'families of models, as in blocks,gqe; default: all')
    .addOption(threadsOption('threads; another number rounds some sums of training otherwise'))
    .option('--json', 'print the table as JSON')
    .option('--markdown', 'print the page')
    .addHelpText('after', examples)
    .action(doing(terminal, async () => (await import('../actions/reproduce.ts')).reproduceTable));
}
