import { expectOptions } from '@fuzzqe/core';
import type { QuerySets } from '@fuzzqe/data';
import { type RunOptions, type RunResult, runTraining } from '@fuzzqe/train';
import { createValidation } from './validation.ts';

/** A training run that is validated as its bundle will answer. */
export interface TrainRunOptions extends Omit<RunOptions, 'validate' | 'queries'> {
  /** Without validation queries nothing is validated. */
  readonly queries: Pick<QuerySets, 'train' | 'valid'>;
  /** Threads for validation. */
  readonly threads: number;
}

/**
 * Trains in a folder, and validates by the graphs, the plan and the mode that a bundle of the run has.
 *
 * @throws FuzzError as `runTraining`.
 * @example
 * const sizes = { train: 1000, valid: 50, test: 250 };
 * const queries = await sampleQuerySets(dataset, { sizes, random: createRandom('queries', 1) });
 * const config = await loadTrainingConfig('countries');
 * const run = { dataset, config, queries, directory: 'runs/countries', runtime: ortCpuRuntime({ threads: 2 }) };
 * const { ended, step } = await trainRun({ ...run, threads: 2, resume: false });
 */
export async function trainRun(options: TrainRunOptions): Promise<RunResult> {
  expectOptions('trainRun', options, ['directory', 'dataset', 'config', 'queries', 'runtime']);
  const { threads, ...run } = options;
  const { dataset, config, queries } = run;
  const validate = createValidation({ dataset, config, queries: queries.valid, threads });
  return runTraining({ ...run, validate });
}
