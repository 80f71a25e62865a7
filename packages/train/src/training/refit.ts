import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FuzzError } from '@fuzzqe/core';
import { createDataset, type Dataset } from '@fuzzqe/data';
import { pathExists } from '@fuzzqe/files';
import { readRunState } from '../checkpoint/checkpoint.ts';
import { recordedTrainingConfig } from '../config.ts';
import { type BestParameters, loadBest, type RunOptions, type RunResult, runTraining } from './run.ts';

/** What `refitRun` needs: the folder is that of the run whose number of steps is taken. */
export type RefitOptions = Omit<
  RunOptions,
  'config' | 'resume' | 'reopen' | 'minutes' | 'refitOf' | 'validate'
>;

/** Where in a run's folder the run on all facts lies. */
export function refitFolder(run: string): string {
  return join(run, 'refit');
}

/**
 * Trains once more on the facts of all parts, for as many steps as the run's best parameters had, in `refit` of its folder.
 *
 * Nothing is validated, since nothing is held out: its figures are those of the run. One that was stopped goes on, one of earlier
 * parameters is replaced. The same run gives the same bytes.
 *
 * @throws FuzzError `checkpoint`: the run has not ended, or no training made it; and what `runTraining` throws.
 * @example
 * const runtime = ortCpuRuntime({ threads: 2 });
 * await refitRun({ dataset, queries: { train: queries }, directory: 'runs/mine', runtime });
 */
export async function refitRun(options: RefitOptions): Promise<RunResult> {
  const { directory: run, dataset } = options;
  const { status, config, best } = await readRunState(run);
  if (status !== 'finished' || best === undefined)
    throw new FuzzError(
      'checkpoint',
      'the run has not ended, so that its best number of steps is not known',
      {
        path: run,
        hint: 'Let it end first: fuzzqe train --resume.',
      },
    );
  const directory = refitFolder(run);
  const isBegun = await pathExists(join(directory, 'state.json'));
  const isOutdated = isBegun && (await readRunState(directory)).refitOf !== best.sha256;
  if (isOutdated) await rm(directory, { recursive: true });
  return runTraining({
    ...options,
    directory,
    dataset: withoutHeldOut(dataset),
    config: { ...recordedTrainingConfig(config, join(run, 'state.json')), steps: best.step },
    resume: isBegun && !isOutdated,
    refitOf: best.sha256,
  });
}

/** The parameters that learned from all facts for as long as those of a checkpoint of the run; undefined where there are none. */
export async function loadRefit(run: string, checkpoint: string): Promise<BestParameters | undefined> {
  const directory = refitFolder(run);
  if (!(await pathExists(join(directory, 'state.json')))) return undefined;
  const { status, refitOf } = await readRunState(directory);
  return status === 'finished' && refitOf === checkpoint ? loadBest(directory) : undefined;
}

/** A data set whose facts are all for training. */
function withoutHeldOut(dataset: Dataset): Dataset {
  const { graphs, ...input } = dataset;
  const none = new Int32Array(0);
  return createDataset({ ...input, train: graphs().full.forwardTriples(), valid: none, test: none });
}
