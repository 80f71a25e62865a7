import { tinyGraph } from '@fuzzqe/data/testing';
import type { TrainingConfig } from '../config.ts';
import type { Feeds, TrainingState } from '../runtimes/training-runtime.ts';
import { createBatchLayout } from '../step/batch-layout.ts';
import { type StepProgram, stepProgram } from '../step/step-program.ts';
import { createBatchSource } from '../training/batch-source.ts';
import { initialState } from '../training/training-state.ts';
import { tinyModel, tinyQueries } from './tiny-run.ts';

/** The steps of a run on the tiny graph. */
export interface TinySteps {
  readonly step: StepProgram;
  /** The state that it starts with. */
  readonly state: TrainingState;
  /** The batch of each step. */
  feeds(at: number): Feeds;
}

/** Makes the step of a run on the tiny graph, its first state and its batches. */
export async function tinySteps(config: TrainingConfig): Promise<TinySteps> {
  const model = tinyModel(config);
  const graph = tinyGraph();
  const layout = createBatchLayout(
    Object.entries(config.batch).map(([structure, count]) => ({ structure: structure as '1p', count })),
  );
  const step = stepProgram(model, config, layout);
  const { feeds } = createBatchSource(model, config, step, { graph, queries: await tinyQueries(graph) });
  return { step, state: initialState(model, config), feeds };
}
