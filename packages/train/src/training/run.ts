import { join } from 'node:path';
import { graphDigest } from '@fuzzqe/bundle';
import { expectOptions, FuzzError } from '@fuzzqe/core';
import type { Dataset, QuerySets } from '@fuzzqe/data';
import { type Lock, lockFolder } from '@fuzzqe/files';
import { type ModelConfig, type Parameters, parameterShapes } from '@fuzzqe/model';
import {
  loadTensors,
  parametersOf,
  type RunOrigin,
  type RunState,
  readRunState,
  saveTensors,
  writeRunState,
} from '../checkpoint/checkpoint.ts';
import type { NamedTensors } from '../checkpoint/safetensors.ts';
import type { TrainingConfig } from '../config.ts';
import { currentEnvironment } from '../reporting/environment.ts';
import type { Validation } from '../reporting/log-entry.ts';
import { openRunRecorder, type RunRecorder } from '../reporting/run-recorder.ts';
import { type DeviceLimits, expectFit } from '../runtimes/expect-fit.ts';
import { type ProgramCost, stepCost } from '../runtimes/program-cost.ts';
import type { TrainingRuntime, TrainingState } from '../runtimes/training-runtime.ts';
import { createBatchLayout } from '../step/batch-layout.ts';
import { stepProgram } from '../step/step-program.ts';
import { type BatchMaterial, createBatchSource } from './batch-source.ts';
import { earlierRun } from './earlier-run.ts';
import { phasesOf } from './phases.ts';
import { createTimeLimit } from './time-limit.ts';
import { batchGroups, type TrainedStep, type TrainingResult, type TrainingRun, train } from './trainer.ts';
import { stateFromTensors, stateTensors } from './training-state.ts';

/** Where a run on a changed graph begins. */
export interface RunStart {
  readonly state: TrainingState;
  readonly origin: RunOrigin;
}

/** A training run that lives in a folder. */
export interface RunOptions {
  /** Where `state.json` and the checkpoints go. */
  readonly directory: string;
  readonly dataset: Dataset;
  readonly config: TrainingConfig;
  readonly queries: Pick<QuerySets, 'train'>;
  readonly runtime: TrainingRuntime;
  /** Ranks by parameters; `trainRun` of @fuzzqe/pipeline gives what ranks as a bundle will. Without it nothing is validated: the last parameters are the best. */
  readonly validate?: ((parameters: Parameters) => Promise<Validation>) | undefined;
  /** What the runtime's device allows: a step that does not fit is refused before anything is trained. */
  readonly limits?: DeviceLimits;
  /**
   * Goes on from the folder's last checkpoint, whose graph and configuration must be the same but for `steps`, which may be others. A
   * finished run goes on where they are, and has nothing to go on with where they are not.
   */
  readonly resume: boolean;
  /** Resumed, a finished run goes on in any case. Default false. */
  readonly reopen?: boolean;
  /**
   * How long this call may take, its last validation and checkpoint included, where a validation takes less than half of that. Above
   * 0; default: as long as it takes. A run that it ends depends on the machine.
   */
  readonly minutes?: number | undefined;
  /** The best parameters of another run, by their SHA-256, whose number of steps this one takes: kept in `state.json`. */
  readonly refitOf?: string;
  /** Where a new run begins, as `carryRun` gives it. Default: at fresh parameters. */
  readonly start?: RunStart | undefined;
  /**
   * Minutes from one checkpoint to the next where no validation comes before; more where writing one takes a twentieth of that and
   * more. In [0, ∞]; default 5. It changes no result.
   */
  readonly checkpointMinutes?: number;
  readonly onStep?: (at: TrainedStep) => void;
  /** After a validation and its checkpoint; awaited, so that a run which is told to stop here trains no further step. */
  readonly onValidation?: (at: Validation & { readonly step: number; readonly improved: boolean }) => unknown;
  /** When the files that a state names and the state itself are in the folder; awaited. What it throws ends the run. */
  readonly onCheckpoint?: (state: RunState) => Promise<void> | void;
  readonly signal?: AbortSignal;
}

/** How a run in a folder ended. */
export interface RunResult {
  readonly state: RunState;
  readonly ended: TrainingResult['ended'];
  readonly step: number;
  /** Seconds that the engine stood still because no batch was ready. */
  readonly waited: number;
}

/**
 * Trains in a folder: a checkpoint after every validation, every few minutes and when the run is stopped, the best parameters next to
 * it, and a log (`log.jsonl`, TensorBoard events) that a checkpoint never runs ahead of. The folder is locked meanwhile.
 *
 * @throws FuzzError `usage`: the folder holds a run and `resume` is false; `runtime`: another process writes in it;
 *   `checkpoint`: it is to be resumed and belongs to another graph or configuration; and what `train` throws.
 * @example
 * const sizes = { train: 1000, valid: 50, test: 250 };
 * const queries = await sampleQuerySets(dataset, { sizes, random: createRandom('queries', 1) });
 * const { ended, step } = await runTraining({
 *   dataset,
 *   queries,
 *   config: await loadTrainingConfig('countries'),
 *   directory: 'runs/countries',
 *   runtime: ortCpuRuntime({ threads: 2 }),
 *   resume: false,
 * });
 */
export async function runTraining(options: RunOptions): Promise<RunResult> {
  expectOptions('runTraining', options, ['directory', 'dataset', 'config', 'queries', 'runtime']);
  const lock = await lockFolder(options.directory);
  try {
    return await trainInFolder(options, lock);
  } finally {
    await lock.release();
  }
}

async function trainInFolder(options: RunOptions, lock: Lock): Promise<RunResult> {
  const { directory, dataset, config, queries, checkpointMinutes = 5, minutes } = options;
  const time = minutes === undefined ? undefined : createTimeLimit(minutes);
  const graph = dataset.graphs().train;
  const model: ModelConfig = { ...config.model, entities: graph.entityCount, relations: graph.relationCount };
  const digest = await graphDigest(graph);
  const { validate } = options;
  const isValidated = validate !== undefined;
  const earlier = await earlierRun(options, digest);
  const resume =
    earlier?.last === undefined ? undefined : await position(directory, model, config, earlier, isValidated);
  // What is finished has nothing to go on with.
  if (earlier?.status === 'finished')
    return { state: earlier, ended: earlier.ended ?? 'finished', step: earlier.last?.step ?? 0, waited: 0 };
  const recorded = config as unknown as Readonly<Record<string, unknown>>;
  let state: RunState =
    earlier === undefined
      ? {
          format: 'fuzzqe-run',
          version: 1,
          model,
          config: recorded,
          data: { name: dataset.name, licence: dataset.licence, sha256: digest },
          device: options.runtime.device,
          status: 'running',
          ...(options.refitOf === undefined ? {} : { refitOf: options.refitOf }),
          ...(options.start === undefined ? {} : { origin: options.start.origin }),
        }
      : { ...earlier, config: recorded };
  const save = async (changes: Partial<RunState>): Promise<void> => {
    await lock.expectHeld();
    state = { ...state, device: options.runtime.device, ...changes };
    await writeRunState(directory, state);
    if (state.last !== undefined) await options.onCheckpoint?.(state);
  };
  const pace = checkpointPace(60_000 * checkpointMinutes);
  let recorder: RunRecorder | undefined;
  // With the first step and not before: a run that is refused leaves no folder behind.
  const begin = async (): Promise<RunRecorder> => {
    const step = earlier?.last?.step ?? 0;
    const session = { step, started: new Date().toISOString(), environment: currentEnvironment() };
    await save({ status: 'running', sessions: [...(state.sessions ?? []), session] });
    return openRunRecorder({ directory, config, step, window: earlier?.window });
  };
  if (options.limits !== undefined)
    expectFit(
      options.runtime.device,
      options.limits,
      costOf(options.runtime.device, model, config, { graph, queries: queries.train }),
    );
  try {
    const result = await train({
      model,
      config,
      graph,
      queries: queries.train,
      rejected: dataset.rejected,
      runtime: options.runtime,
      keepBest: false,
      ...(validate === undefined ? {} : { validate }),
      names: {
        entity: (row) => dataset.vocabulary.entity(row).label,
        checkpoint: () => state.last?.step,
      },
      ...(time === undefined ? {} : { time }),
      async onStep(at) {
        recorder ??= await begin();
        await recorder.onStep(at);
        options.onStep?.(at);
      },
      async onValidation({ step, state: reached, stretch, mrr, structures, improved }) {
        recorder ??= await begin();
        await recorder.onValidation(step, { mrr, structures });
        await recorder.flush();
        const tensors = stateTensors(model, reached);
        const best = improved
          ? await saveTensors(directory, 'best', step, learnedOnly(model, tensors), mrr)
          : state.best;
        await save({
          status: 'running',
          last: await saveTensors(directory, 'last', step, tensors, mrr),
          best,
          stretch,
          window: recorder.window,
        });
        pace.saved();
        await options.onValidation?.({ step, mrr, structures, improved });
      },
      isCheckpointDue: pace.isDue,
      async onDueCheckpoint({ step, state: reached, stretch }) {
        const begun = performance.now();
        recorder ??= await begin();
        await recorder.flush();
        const last = await saveTensors(directory, 'last', step, stateTensors(model, reached));
        await save({ status: 'running', last, stretch, window: recorder.window });
        pace.saved(performance.now() - begun);
      },
      async onCheckpoint({ step, state: reached, stretch }) {
        recorder ??= await begin();
        await recorder.flush();
        const tensors = stateTensors(model, reached);
        await save({
          status: 'running',
          last: await saveTensors(directory, 'last', step, tensors),
          best: await saveTensors(directory, 'best', step, learnedOnly(model, tensors)),
          stretch,
          window: recorder.window,
        });
        pace.saved();
      },
      async onFailure({ step, state: reached, stretch }) {
        if (state.last?.step === step) return;
        await recorder?.flush();
        const last = await saveTensors(directory, 'last', step, stateTensors(model, reached));
        await save({ status: 'stopped', last, stretch, window: recorder?.window ?? state.window });
      },
      ...(options.signal === undefined ? {} : { signal: options.signal }),
      ...(resume === undefined ? {} : { resume }),
      start: options.start?.state,
      optimised: state.origin?.steps,
    });
    // Stopped between two validations: the step that was reached is kept, too.
    const last =
      state.last?.step === result.step
        ? state.last
        : await saveTensors(directory, 'last', result.step, stateTensors(model, result.state));
    await recorder?.flush();
    await save({
      ...(result.ended === 'interrupted'
        ? { status: 'stopped' }
        : { status: 'finished', ended: result.ended }),
      last,
      stretch: result.stretch,
      window: recorder?.window ?? state.window,
    });
    return { state, ended: result.ended, step: result.step, waited: result.waited };
  } finally {
    await recorder?.close();
  }
}

/** When the next checkpoint is due: so many milliseconds after the one before, and so late that writing takes a twentieth of the time. */
function checkpointPace(milliseconds: number): { isDue(): boolean; saved(took?: number): void } {
  let [last, wait] = [performance.now(), milliseconds];
  return {
    isDue: () => performance.now() - last >= wait,
    saved(took = 0) {
      last = performance.now();
      wait = milliseconds === 0 ? 0 : Math.max(milliseconds, 20 * took);
    },
  };
}

/** What a step of the last phase costs, which has all structures and the most negatives, by its first batch. */
function costOf(
  device: string,
  model: ModelConfig,
  run: TrainingConfig,
  material: BatchMaterial,
): ProgramCost {
  const { config } = phasesOf(run).at(-1)!;
  const step = stepProgram(model, config, createBatchLayout(batchGroups(config)));
  return stepCost(step, device, createBatchSource(model, config, step, material).feeds(0));
}

/** The best parameters of a run, and the SHA-256 of their file, by which they are told from those of before and after. */
export interface BestParameters {
  readonly state: RunState;
  readonly checkpoint: string;
  readonly parameters: Parameters;
}

/**
 * The best parameters of a run.
 *
 * @throws FuzzError `checkpoint`: there are none yet or they are damaged.
 * @example
 * const { parameters, state } = await loadBest('runs/mine');
 */
export async function loadBest(directory: string): Promise<BestParameters> {
  const state = await readRunState(directory);
  if (state.best === undefined)
    throw new FuzzError('checkpoint', 'the run has not reached its first validation', {
      path: join(directory, 'state.json'),
      hint: 'let it train for longer: fuzzqe train --resume',
    });
  const { file, sha256: checkpoint } = state.best;
  try {
    const tensors = await loadTensors(directory, state.best);
    return { state, checkpoint, parameters: parametersOf(state.model, tensors, join(directory, file)) };
  } catch (cause) {
    // A process that trains there may have put better ones in their place in between.
    if ((await readRunState(directory)).best?.sha256 === checkpoint) throw cause;
    return loadBest(directory);
  }
}

async function position(
  directory: string,
  model: ModelConfig,
  config: TrainingConfig,
  { last, best, stretch, reopened }: RunState,
  isValidated: boolean,
): Promise<NonNullable<TrainingRun['resume']>> {
  const tensors = await loadTensors(directory, last!);
  const reached = {
    ...{ step: last!.step, stretch, reopened },
    state: stateFromTensors(model, config, tensors, join(directory, last!.file)),
    // Where nothing is validated, a checkpoint is complete when its parameters are the best ones, too.
    validated: isValidated ? last!.mrr !== undefined : best?.step === last!.step,
  };
  if (best === undefined) return reached;
  // Looked at and let go: a run whose best parameters are damaged is not to go on for hours.
  parametersOf(model, await loadTensors(directory, best), join(directory, best.file));
  return { ...reached, best: { step: best.step, ...(best.mrr === undefined ? {} : { mrr: best.mrr }) } };
}

function learnedOnly(model: ModelConfig, tensors: NamedTensors): NamedTensors {
  return Object.fromEntries(Object.keys(parameterShapes(model)).map((name) => [name, tensors[name]!]));
}
