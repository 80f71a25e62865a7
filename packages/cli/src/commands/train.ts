import { type Command, Option } from 'commander';
import type { TrainFlags } from '../actions/train.ts';
import type { SweepFlags } from '../actions/train-sweep.ts';
import { configHelp, minutesHelp, refitHelp, trainingDevices } from '../options/choices.ts';
import { parseChoice, parseMinutes, parseSeeds, parseWholeNumber } from '../options/parse-options.ts';
import { stepsOption, threadsOption } from '../options/shared-options.ts';
import { printNextCommand } from '../terminal/next-command.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Options that say nothing without `--sweep`. */
const sweepOptions = ['store', 'trial', 'maxTrials', 'wait', 'lease'] as const;

/** Adds `fuzzqe train`. */
export function addTrainCommand(program: Command, terminal: Terminal): void {
  program
    .command('train [data]')
    .description('train a model on a data set, or with --sweep try many configurations; Ctrl-C stops safely')
    .option('--out <folder>', 'folder for checkpoints; of a sweep, for trials in progress')
    .option('--config <name|file>', configHelp)
    .addOption(stepsOption())
    .option('--minutes <n>', minutesHelp, parseMinutes)
    .option('--seed <n>', 'seed of parameters and batches', parseWholeNumber(0))
    .addOption(
      new Option('--seeds <list>', 'several seeds, as in 1,2,3: a run in seed-<n> for each, and their mean')
        .argParser(parseSeeds)
        .conflicts('seed'),
    )
    .addOption(threadsOption('threads; another number rounds some sums otherwise, so that bytes may differ'))
    .option(
      '--device <name>',
      `one of ${trainingDevices.join(', ')} (see fuzzqe devices)`,
      parseChoice(trainingDevices, 'device'),
      'cpu',
    )
    .option('--tf32', 'cuda: multiply matrices in TF32, faster and less exact')
    .option(
      '--checkpoint-minutes <n>',
      'longest time between checkpoints, in minutes',
      parseWholeNumber(1),
      5,
    )
    .addOption(
      new Option(
        '--sweep <file>',
        'train trials of the sweep that a JSON file describes (docs/sweeps.md)',
      ).conflicts(['config', 'steps', 'minutes', 'seed', 'seeds', 'resume', 'refit']),
    )
    .option('--store <place>', 'place that all processes of a sweep share: a folder or s3://bucket/prefix')
    .option(
      '--trial <n>',
      'sweep: train only this trial; waits while another process runs it',
      parseWholeNumber(0),
    )
    .option('--max-trials <n>', 'sweep: at most this many trials in this process', parseWholeNumber(1))
    .option('--wait', 'wait for trials that other processes run, and take over if one dies')
    .option(
      '--lease <seconds>',
      'sweep: seconds without a sign of life after which a trial is taken over; default 120',
      parseWholeNumber(1, 86_400),
    )
    .option(
      '--resume',
      'continue from the last checkpoint, on any device; a finished run continues with --steps or --minutes',
    )
    .addOption(new Option('--refit', refitHelp).conflicts('seeds'))
    .option('--json', 'print how the run ended as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  fuzzqe train data/countries --out runs/countries --config countries\n  fuzzqe train data/countries --sweep sweep.json --store sweeps/countries',
    )
    .action(async (data: string | undefined, flags: Partial<TrainFlags> & SweepFlags, command: Command) => {
      if (flags.sweep !== undefined) {
        const { trainSweep } = await import('../actions/train-sweep.ts');
        const next = await trainSweep(terminal, data, { ...flags, sweep: flags.sweep });
        if (!flags.json) printNextCommand(terminal, next);
        return;
      }
      const foreign = sweepOptions.filter((name) => flags[name] !== undefined);
      if (foreign.length > 0)
        command.error(`error: --${foreign[0]!.replace('maxTrials', 'max-trials')} needs --sweep <file>`);
      if (data === undefined) return command.error("error: missing required argument 'data'");
      if (flags.out === undefined)
        return command.error("error: required option '--out <folder>' not specified");
      const { trainModel } = await import('../actions/train.ts');
      // What has a default is there.
      const next = await trainModel(terminal, data, flags as TrainFlags);
      if (!flags.json) printNextCommand(terminal, next);
    });
}
