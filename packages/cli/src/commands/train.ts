import { availableParallelism } from 'node:os';
import {
  type Dataset,
  ortCpuRuntime,
  type QuerySets,
  type RunResult,
  readDataset,
  runTraining,
  type TrainingConfig,
} from '@fuzzqe/train';
import type { Command } from 'commander';
import { loadTrainingConfig } from '../configs/preset.ts';
import { interruptible } from '../terminal/interrupt.ts';
import { createProgress } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { wholeNumber } from './options.ts';
import { readQueryPart } from './query-files.ts';

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
      '--threads <n>',
      'threads; the result does not depend on them',
      wholeNumber(1, 256),
      defaultThreads(),
    )
    .option('--resume', 'go on from the last checkpoint')
    .option('--json', 'print how the run ended as JSON')
    .addHelpText('after', '\nExample:\n  fuzzqe train data/countries --out runs/countries --config countries')
    .action(async (data: string, flags: TrainFlags) => {
      const dataset = await readDataset(data);
      const given = await loadTrainingConfig(flags.config);
      const config = { ...given, steps: flags.steps ?? given.steps, seed: flags.seed ?? given.seed };
      const queries = {
        train: (await readQueryPart(data, dataset, 'train')).filter(({ structure }) => structure !== '1p'),
        valid: await readQueryPart(data, dataset, 'valid'),
      };
      const result = await interruptible(terminal, (signal) =>
        trainWithProgress(terminal, {
          dataset,
          config,
          queries,
          directory: flags.out,
          threads: flags.threads,
          resume: flags.resume ?? false,
          signal,
        }),
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
  readonly threads: number;
  readonly resume?: boolean;
  readonly json?: boolean;
}

/** What `trainWithProgress` trains. */
export interface TrainingTask {
  readonly dataset: Dataset;
  readonly config: TrainingConfig;
  readonly queries: Pick<QuerySets, 'train' | 'valid'>;
  readonly directory: string;
  readonly threads: number;
  readonly resume: boolean;
  readonly signal: AbortSignal;
}

/** Trains on the CPU in a folder and shows step, rate, loss, validation MRR and time left. */
export async function trainWithProgress(terminal: Terminal, task: TrainingTask): Promise<RunResult> {
  const progress = createProgress(terminal, 'Training', 'steps');
  let loss = Number.NaN;
  let mrr = '';
  let begun = 0;
  const start = Date.now();
  const result = await runTraining({
    ...task,
    runtime: ortCpuRuntime({ threads: task.threads }),
    onStep({ step, steps, loss: latest }) {
      if (begun === 0) begun = step;
      // A single batch's loss jumps about; a running mean shows where it goes.
      loss = Number.isNaN(loss) ? latest : 0.98 * loss + 0.02 * latest;
      progress.update(step - begun + 1, steps - begun + 1, `loss ${loss.toFixed(3)}${mrr}`);
    },
    onValidation(at) {
      mrr = `  validation MRR ${(100 * at.mrr).toFixed(1)} %`;
      terminal.note(
        `step ${at.step}: loss ${loss.toFixed(3)}${mrr}${at.improved ? ', the best so far' : ''}`,
      );
    },
  });
  const { best } = result.state;
  const reached =
    best === undefined
      ? ''
      : `; best validation MRR ${(100 * (best.mrr ?? 0)).toFixed(1)} % at step ${best.step}`;
  const seconds = (Date.now() - start) / 1000;
  const trained = begun === 0 ? 0 : result.step - begun + 1;
  const rate = (trained / seconds).toFixed(0);
  const waiting = ((100 * result.waited) / seconds).toFixed(1);
  progress.finish(
    `Training ${result.ended} at step ${result.step} after ${seconds.toFixed(0)} s (${rate} steps/s, ${waiting} % of the time waiting for batches)${reached}`,
  );
  return result;
}
