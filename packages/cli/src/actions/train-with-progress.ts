import type { Dataset, QuerySets } from '@fuzzqe/data';
import { trainRun } from '@fuzzqe/pipeline';
import {
  type DeviceLimits,
  type RunOptions,
  type RunResult,
  refitFolder,
  refitRun,
  type TrainingConfig,
  type TrainingRuntime,
} from '@fuzzqe/train';
import { createProgress } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** What `trainWithProgress` trains. */
export interface TrainingTask {
  readonly dataset: Dataset;
  readonly config: TrainingConfig;
  readonly queries: Pick<QuerySets, 'train' | 'valid'>;
  readonly directory: string;
  readonly runtime: TrainingRuntime;
  /** What the runtime's device allows. */
  readonly limits?: DeviceLimits;
  /** Threads for validation. */
  readonly threads: number;
  readonly resume: boolean;
  readonly reopen?: boolean;
  readonly minutes?: number | undefined;
  readonly checkpointMinutes?: number;
  readonly signal: AbortSignal;
}

/** Trains in a folder and shows step, rate, loss, validation MRR and time left. */
export async function trainWithProgress(terminal: Terminal, task: TrainingTask): Promise<RunResult> {
  const { finish, ...observer } = createTrainingProgress(
    terminal,
    (steps) => `--resume --steps ${steps}, or --resume --minutes N`,
    ` in mode ${task.config.validation.mode}`,
  );
  const result = await trainRun({ ...task, ...observer });
  finish(result);
  return result;
}

/** Trains once more on all facts, for as many steps as the best parameters of the run in the folder had, and shows how it goes. */
export async function refitWithProgress(
  terminal: Terminal,
  task: Omit<TrainingTask, 'config' | 'resume' | 'reopen' | 'minutes'>,
): Promise<RunResult> {
  terminal.note(`Training once more, on all facts, in ${refitFolder(task.directory)}`);
  const { finish, ...observer } = createTrainingProgress(terminal, () => '');
  const result = await refitRun({ ...task, ...observer });
  finish(result);
  return result;
}

/** How a run ended, in words that stand before its step. */
const endings: Readonly<Record<RunResult['ended'], string>> = {
  finished: 'finished',
  stalled: 'ended, since validation has stalled,',
  minutes: 'ended, since its minutes are used up,',
  interrupted: 'interrupted',
};

/** Shows how training goes on, and in lines that stay how it ended and `goOn`, how to go on to a number of steps; `validated` says by which mode. */
export function createTrainingProgress(
  terminal: Terminal,
  goOn: (steps: number) => string,
  validated = '',
): Required<Pick<RunOptions, 'onStep' | 'onValidation'>> & { finish(result: RunResult): void } {
  const progress = createProgress(terminal, 'Training', 'steps');
  let loss: number | undefined;
  let mrr = '';
  let begun = 0;
  const start = Date.now();
  return {
    onStep({ step, steps, isOpen, secondsLeft, loss: latest }) {
      if (begun === 0) begun = step;
      // A single batch's loss jumps about; a running mean shows where it goes.
      loss = loss === undefined ? latest : 0.98 * loss + 0.02 * latest;
      const sooner = isOpen ? '  or until validation stalls' : '';
      progress.update(step, steps, `loss ${loss.toFixed(3)}${mrr}${sooner}`, secondsLeft);
    },
    onValidation(at) {
      mrr = `  MRR ${(100 * at.mrr).toFixed(1)} %`;
      // A run that goes on may validate before its first step.
      const trained = loss === undefined ? '' : `loss ${loss.toFixed(3)}  `;
      terminal.note(
        `step ${at.step}: ${trained}validation${mrr.slice(1)}${validated}${at.improved ? ', the best so far' : ''}`,
      );
    },
    finish(result) {
      const { best } = result.state;
      const reached =
        best === undefined
          ? ''
          : best.mrr === undefined
            ? `; kept: step ${best.step}`
            : `; best validation MRR ${(100 * best.mrr).toFixed(1)} %${validated} at step ${best.step}`;
      const seconds = Math.max(1, Date.now() - start) / 1000;
      const trained = begun === 0 ? 0 : result.step - begun + 1;
      const rate = (trained / seconds).toFixed(0);
      const waiting = ((100 * result.waited) / seconds).toFixed(1);
      progress.finish(
        `Training ${endings[result.ended]} at step ${result.step} after ${seconds.toFixed(0)} s (${rate} steps/s, ${waiting} % of the time waiting for batches)${reached}`,
      );
      if (result.ended === 'stalled' || result.ended === 'minutes')
        terminal.note(`To train for longer: ${goOn(2 * result.step)}`);
    },
  };
}
