import { join } from 'node:path';
import { FuzzError, schema } from '@fuzzqe/core';
import type { Dataset, QuerySets } from '@fuzzqe/data';
import { pathExists, readWholeFile, writeFileWhole } from '@fuzzqe/files';
import {
  fitBatch,
  openDevice,
  type RunOptions,
  type RunResult,
  readRunState,
  recordedTrainingConfig,
  type TrainingConfig,
} from '@fuzzqe/train';
import { trainRun } from '../training/train-run.ts';

/** What is trained for a row, and how long. */
export interface CellTraining {
  readonly run: string;
  readonly dataset: Dataset;
  readonly queries: Pick<QuerySets, 'train' | 'valid'>;
  readonly config: TrainingConfig;
  readonly minutes?: number | undefined;
  readonly threads: number;
  readonly signal?: AbortSignal | undefined;
  readonly onStep?: RunOptions['onStep'] | undefined;
  readonly onValidation?: RunOptions['onValidation'] | undefined;
}

/**
 * Trains a run, or goes on with it: from its last checkpoint if it was stopped, and if more minutes or steps are given than have ended it.
 * A run whose validation stalled is left as it is.
 *
 * @throws FuzzError as `trainRun`. `interrupted`: the signal was raised; the same call goes on.
 */
export async function trainCell(task: CellTraining): Promise<RunResult> {
  const { run, minutes, signal } = task;
  const used = await minutesUsed(run);
  const more = minutes === undefined ? Number.POSITIVE_INFINITY : minutes - used;
  const resume = await pathExists(join(run, 'state.json'));
  const earlier = resume ? await readRunState(run) : undefined;
  const isStalled = earlier?.status === 'finished' && earlier.ended === 'stalled';
  const config = isStalled
    ? { ...task.config, steps: recordedTrainingConfig(earlier.config, run).steps }
    : task.config;
  const result = await trainRun({
    directory: run,
    dataset: task.dataset,
    queries: task.queries,
    config: fitBatch(config, task.queries.train).config,
    runtime: openDevice('cpu', { threads: task.threads }),
    threads: task.threads,
    resume,
    // Only a run that its minutes ended can use more of them.
    reopen: used > 0 && more > 0 && !isStalled,
    ...(minutes === undefined ? {} : { minutes: more > 0 ? more : minutes }),
    ...(signal === undefined ? {} : { signal }),
    ...(task.onStep === undefined ? {} : { onStep: task.onStep }),
    ...(task.onValidation === undefined ? {} : { onValidation: task.onValidation }),
  });
  if (result.ended === 'interrupted')
    throw new FuzzError('interrupted', `stopped at training step ${result.step}`, {
      path: run,
    });
  if (result.ended === 'minutes' && minutes !== undefined && minutes > used)
    await writeFileWhole(budgetFile(run), `${JSON.stringify({ minutes })}\n`);
  return result;
}

const budgetFile = (run: string): string => join(run, 'budget.json');
const budgetSchema = schema.object({ minutes: schema.number({ above: 0 }) });

/** The minutes that have ended a run; 0 if nothing has. */
export async function minutesUsed(run: string): Promise<number> {
  const path = budgetFile(run);
  if (!(await pathExists(path))) return 0;
  const text = (await readWholeFile(path, 'checkpoint')).toString('utf8');
  return schema.parseJson(budgetSchema, text, { code: 'checkpoint', what: 'budget of a run', path }).minutes;
}
