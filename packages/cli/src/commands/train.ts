import { availableParallelism } from 'node:os';
import { FuzzError } from '@fuzzqe/core';
import { deviceNames, loadTrainingConfig, readDataset } from '@fuzzqe/train';
import type { Command } from 'commander';
import { interruptible } from '../terminal/interrupt.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { wholeNumber } from './options.ts';
import { readQueryPart } from './query-files.ts';
import { describeSeeds, seedList, trainSeeds } from './train-seeds.ts';
import { trainWithProgress } from './train-with-progress.ts';
import { trainingDevice } from './training-device.ts';

export { trainWithProgress } from './train-with-progress.ts';

/** Threads for training when none are named: more than four gain nothing at the sizes that a CPU can train. */
export function defaultThreads(): number {
  return Math.min(4, availableParallelism());
}

/** Adds `fuzzqe train`. */
export function addTrainCommand(program: Command, terminal: Terminal): void {
  program
    .command('train <data>')
    .description('train FuzzQE on a data set; Ctrl-C stops safely, --resume goes on')
    .requiredOption('--out <folder>', 'where checkpoints go')
    .option('--config <name|file>', 'a preset (countries) or a JSON file of changes to it')
    .option('--steps <n>', 'steps to train', wholeNumber(1))
    .option('--seed <n>', 'seed of parameters and batches', wholeNumber(0))
    .option(
      '--seeds <list>',
      'several seeds, as in 1,2,3: a run in seed-<n> for each, and their mean',
      seedList,
    )
    .option(
      '--threads <n>',
      'threads; the result does not depend on them',
      wholeNumber(1, 256),
      defaultThreads(),
    )
    .option('--device <name>', `auto, or one of ${deviceNames.join(', ')} (see fuzzqe devices)`, 'cpu')
    .option('--tf32', 'on cuda, multiply matrices in TF32: faster and less exact')
    .option('--resume', 'go on from the last checkpoint, on any device')
    .option('--json', 'print how the run ended as JSON')
    .addHelpText('after', '\nExample:\n  fuzzqe train data/countries --out runs/countries --config countries')
    .action(async (data: string, flags: TrainFlags) => {
      if (flags.seed !== undefined && flags.seeds !== undefined)
        throw new FuzzError('usage', '--seed and --seeds were both given', { hint: 'give one of them' });
      const dataset = await readDataset(data);
      const given = await loadTrainingConfig(flags.config);
      const config = { ...given, steps: flags.steps ?? given.steps, seed: flags.seed ?? given.seed };
      const queries = {
        train: (await readQueryPart(data, dataset, 'train')).filter(({ structure }) => structure !== '1p'),
        valid: await readQueryPart(data, dataset, 'valid'),
      };
      const { threads, tf32 = false } = flags;
      const task = {
        dataset,
        config,
        queries,
        ...(await trainingDevice(terminal, flags.device, { threads, tf32 })),
        directory: flags.out,
        threads,
        resume: flags.resume ?? false,
      };
      const { seeds } = flags;
      if (seeds !== undefined) {
        const result = await interruptible(terminal, (signal) =>
          trainSeeds(terminal, { ...task, signal }, seeds),
        );
        if (flags.json) terminal.out(JSON.stringify(result));
        else if (result.runs.length > 0) describeSeeds(result).forEach(terminal.out);
        if (result.ended === 'interrupted') process.exitCode = 130;
        return;
      }
      const result = await interruptible(terminal, (signal) =>
        trainWithProgress(terminal, { ...task, signal }),
      );
      if (flags.json) {
        const { best } = result.state;
        terminal.out(JSON.stringify({ ended: result.ended, step: result.step, best }));
      }
      if (result.ended === 'interrupted') process.exitCode = 130;
    });
}

interface TrainFlags {
  readonly out: string;
  readonly config?: string;
  readonly steps?: number;
  readonly seed?: number;
  readonly seeds?: readonly number[];
  readonly threads: number;
  readonly device: string;
  readonly tf32?: boolean;
  readonly resume?: boolean;
  readonly json?: boolean;
}
