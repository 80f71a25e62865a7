import { type Command, Option } from 'commander';
import type { TrainFlags } from '../actions/train.ts';
import { configHelp, trainingDevices } from '../options/choices.ts';
import { defaultThreads, parseChoice, parseSeeds, parseWholeNumber } from '../options/parse-options.ts';
import { printNextCommand } from '../terminal/next-command.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Adds `fuzzqe train`. */
export function addTrainCommand(program: Command, terminal: Terminal): void {
  program
    .command('train <data>')
    .description('train FuzzQE on a data set; Ctrl-C stops safely, --resume goes on')
    .requiredOption('--out <folder>', 'where checkpoints go')
    .option('--config <name|file>', configHelp)
    .option('--steps <n>', 'steps to train', parseWholeNumber(1))
    .option('--seed <n>', 'seed of parameters and batches', parseWholeNumber(0))
    .addOption(
      new Option('--seeds <list>', 'several seeds, as in 1,2,3: a run in seed-<n> for each, and their mean')
        .argParser(parseSeeds)
        .conflicts('seed'),
    )
    .option(
      '--threads <n>',
      'threads; the result does not depend on them',
      parseWholeNumber(1, 256),
      defaultThreads(),
    )
    .option(
      '--device <name>',
      `one of ${trainingDevices.join(', ')} (see fuzzqe devices)`,
      parseChoice(trainingDevices, 'device'),
      'cpu',
    )
    .option('--tf32', 'on cuda, multiply matrices in TF32: faster and less exact')
    .option(
      '--checkpoint-minutes <n>',
      'minutes between checkpoints where no validation comes before',
      parseWholeNumber(1),
      5,
    )
    .option('--resume', 'go on from the last checkpoint, on any device')
    .option('--json', 'print how the run ended as JSON')
    .addHelpText('after', '\nExample:\n  fuzzqe train data/countries --out runs/countries --config countries')
    .action(async (data: string, flags: TrainFlags) => {
      const { trainModel } = await import('../actions/train.ts');
      const next = await trainModel(terminal, data, flags);
      if (!flags.json) printNextCommand(terminal, next);
    });
}
