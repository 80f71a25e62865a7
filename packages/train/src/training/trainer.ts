import { expectOptions, FuzzError, type KnowledgeGraph, messageOf } from '@fuzzqe/core';
import type { StructureName } from '@fuzzqe/core/query';
import type { SampledQueries } from '@fuzzqe/data';
import type { ModelConfig, Parameters } from '@fuzzqe/model';
import type { Ending, RunStretch } from '../checkpoint/endings.ts';
import { isOpenEnded, type TrainingConfig } from '../config.ts';
import type { LearnedQuantities } from '../loss/loss.ts';
import { learnedScalars } from '../loss/losses.ts';
import { scheduleShare } from '../optimiser/schedule.ts';
import type { Validation } from '../reporting/log-entry.ts';
import {
  type Feeds,
  readState,
  stepsAtOnce,
  type TrainingRuntime,
  type TrainingSession,
  type TrainingState,
} from '../runtimes/training-runtime.ts';
import { type BatchGroup, createBatchLayout } from '../step/batch-layout.ts';
import { stateNames, stepProgram } from '../step/step-program.ts';
import { type BatchStream, streamBatches } from './batch-prefetch.ts';
import { divergenceError, type RunNames } from './divergence-error.ts';
import { type Phase, phasesOf } from './phases.ts';
import { stretchFrom } from './stretch-from.ts';
import type { TimeLimit } from './time-limit.ts';
import { initialState, parametersOfState } from './training-state.ts';

/** Where a run stands: what it would be resumed from. */
export interface TrainingPosition {
  /** Steps that have been trained. */
  readonly step: number;
  readonly state: TrainingState;
  /** The last stretch of a run with an open end, once it is known. */
  readonly stretch?: RunStretch | undefined;
}

/** The parameters with the best validation MRR so far, or the last ones where nothing is validated. */
export interface BestParameters {
  readonly step: number;
  /** Absent where nothing is validated. */
  readonly mrr?: number;
  /** Absent where an observer keeps them (`keepBest`). */
  readonly parameters?: Parameters;
}

/** What a run tells while it goes on. */
export interface TrainingObserver {
  /** After every step; awaited. */
  onStep?(at: TrainedStep): Promise<void> | void;
  /** After every validation; awaited, so that a checkpoint is complete before training goes on. */
  onValidation?(at: TrainingPosition & Validation & { readonly improved: boolean }): Promise<void> | void;
  /** In its place, as often, where nothing is validated; awaited. */
  onCheckpoint?(at: TrainingPosition): Promise<void> | void;
  /** Whether a checkpoint is due between two validations; asked after every step. Without it there are none. */
  isCheckpointDue?(): boolean;
  /** Where one is due; awaited. */
  onDueCheckpoint?(at: TrainingPosition): Promise<void> | void;
  /** When a step failed, with the position before it; awaited before the error goes on. */
  onFailure?(at: TrainingPosition): Promise<void> | void;
}

/** A step that has been trained. */
export interface TrainedStep {
  readonly step: number;
  /** Steps of the whole run; with an open end at most so many, until its last stretch is known. */
  readonly steps: number;
  /** Whether the run may end before: with an open end, until its last stretch is known. */
  readonly isOpen: boolean;
  /** Seconds until the run must end; absent without a limit. */
  readonly secondsLeft?: number;
  readonly loss: number;
  readonly learningRate: number;
  /** What the loss has learned after it. Absent of a step that a session ran together with later ones, whose state is gone. */
  learned?(): Promise<LearnedQuantities>;
}

/** Everything that a run needs. */
export interface TrainingRun extends TrainingObserver {
  readonly model: ModelConfig;
  readonly config: TrainingConfig;
  readonly graph: KnowledgeGraph;
  /** Training queries of the structures in the batch, without 1p. */
  readonly queries: readonly SampledQueries[];
  /** Links that somebody rejected: flat h, r, t. Default: none. */
  readonly rejected?: Int32Array | undefined;
  readonly runtime: TrainingRuntime;
  /** Without it nothing is validated: the last parameters are the best. */
  validate?(parameters: Parameters): Promise<Validation>;
  /** Whether the result has the best parameters; false where an observer has saved them, and memory is short. Default true. */
  readonly keepBest?: boolean;
  /** Where to go on from; without it, from freshly initialised parameters. */
  readonly resume?: TrainingPosition & {
    readonly best?: BestParameters;
    /** Whether its parameters were validated, or kept where nothing is; a run that was told to stop does not wait for that. */
    readonly validated: boolean;
    /** From which step on patience counts, where the run had ended before. Default 0. */
    readonly reopened?: number | undefined;
  };
  /** The state before the first step; it is validated as well. Default: fresh parameters. */
  readonly start?: TrainingState | undefined;
  /** Steps of which the optimiser's sums at the start are. Default 0. */
  readonly optimised?: number | undefined;
  /** How long it may take. */
  readonly time?: TimeLimit | undefined;
  /** For the error of a run whose loss is not a number. */
  readonly names?: RunNames;
  /** Stops the run after the step in progress. */
  readonly signal?: AbortSignal;
}

/** How a run ended. */
export interface TrainingResult extends TrainingPosition {
  readonly ended: Ending | 'interrupted';
  readonly best: BestParameters | undefined;
  /** Seconds that the engine stood still because no batch was ready. */
  readonly waited: number;
}

/**
 * Trains FuzzQE: step after step, with a validation every so often, until the steps are done, the validation MRR has
 * not improved for `patience` steps, the time is up, or the signal says stop.
 *
 * With an open end (schedule `plateau`) a last stretch follows, over which the rate falls: it begins where validation has stalled,
 * or as late as its steps and the time allow.
 *
 * The same configuration, graph, queries and device give the same result, also when the run is interrupted and
 * resumed from the position it reported.
 *
 * @throws FuzzError `config`: the batch asks for queries that were not given, or the loss becomes no number.
 * @example
 * const config = await loadTrainingConfig('countries');
 * const runtime = ortCpuRuntime({ threads: 2 });
 * const result = await train({ model: trained.config, config, graph, queries, runtime });
 */
export async function train(run: TrainingRun): Promise<TrainingResult> {
  expectOptions('train', run, ['model', 'config', 'graph', 'queries', 'runtime']);
  const { config, model } = run;
  const names = stateNames(config);
  let { step, state, stretch } = run.resume ?? {
    step: 0,
    state: run.start ?? initialState(model, config),
    stretch: undefined,
  };
  let phases = phasesOf(config, stretch);
  let best = run.resume?.best;
  let open: OpenPhase | undefined;
  let lastValidated = run.resume?.validated ? run.resume.step : -1;
  let waited = 0;
  const closePhase = async ({ session, batches }: OpenPhase): Promise<void> => {
    waited += batches.waited;
    await batches.close();
    await session.close();
  };
  /** Whether validation has not improved for so long as to end the run. */
  const isStalled = (): boolean =>
    best?.mrr !== undefined &&
    step - Math.max(best.step, run.resume?.reopened ?? 0) >= config.validation.patience;
  try {
    for (;;) {
      const interrupted = run.signal?.aborted ?? false;
      const isLate = step > (run.resume?.step ?? 0) && (run.time?.stepsLeft() ?? 1) < 1;
      const done = step >= (stretch?.until ?? config.steps);
      const due =
        step % config.validation.every === 0 ||
        done ||
        isLate ||
        interrupted ||
        run.time?.isValidationDue() === true;
      if ((step > 0 || run.start !== undefined) && due && lastValidated !== step) {
        const begun = performance.now();
        if (open !== undefined) state = await readState(open.session, names);
        lastValidated = step;
        // A run that is told to stop does not make the user wait for a validation.
        if (!interrupted) {
          const parameters = parametersOfState(state);
          const kept = run.keepBest === false ? {} : { parameters: copyOf(parameters) };
          if (run.validate === undefined) {
            best = { step, ...kept };
            await run.onCheckpoint?.({ step, state, stretch });
          } else {
            const found = await validated(run, run.validate, parameters, { step, state, stretch });
            const improved = best?.mrr === undefined || found.mrr > best.mrr;
            if (improved) best = { step, mrr: found.mrr, ...kept };
            await run.onValidation?.({ step, state, stretch, ...found, improved });
          }
          run.time?.validated(performance.now() - begun);
        }
      } else if (open !== undefined && !due && run.isCheckpointDue?.() === true) {
        state = await readState(open.session, names);
        await run.onDueCheckpoint?.({ step, state, stretch });
      }
      // The validation, too, may have said stop.
      const stopped = interrupted || run.signal?.aborted === true;
      const stalled = !isOpenEnded(config) && isStalled();
      if (stopped || done || isLate || stalled) {
        const own: Ending = done ? (stretch?.why ?? 'finished') : stalled ? 'stalled' : 'minutes';
        const ended = interrupted || !(done || isLate || stalled) ? 'interrupted' : own;
        return { step, state, stretch, best, ended, waited: waited + (open?.batches.waited ?? 0) };
      }
      if (isOpenEnded(config) && stretch === undefined) {
        stretch = stretchFrom(step, config.steps, isStalled(), run.time?.stepsLeft());
        if (stretch !== undefined) phases = phasesOf(config, stretch);
      }
      const phase = phases.find(({ until }) => step < until)!;
      if (open?.phase !== phase) {
        if (open !== undefined) {
          state = await readState(open.session, names);
          await closePhase(open);
          open = undefined;
        }
        open = await openPhase(run, state, phase);
      }
      const { session } = open;
      const until = Math.min(
        phase.until,
        (Math.floor(step / config.validation.every) + 1) * config.validation.every,
        step + Math.max(1, Math.floor(run.time?.stepsLeft() ?? Number.POSITIVE_INFINITY)),
      );
      let losses: readonly number[];
      try {
        losses = await runSteps(open, step, until);
      } catch (cause) {
        throw await stepFailed(run, session, { step, stretch }, cause);
      }
      run.time?.trained(losses.length);
      const { learningRate, schedule } = config.optimiser;
      for (const [place, loss] of losses.entries()) {
        step += 1;
        if (!Number.isFinite(loss))
          throw divergenceError(model, await readState(session, names), { step, loss }, run.names);
        await run.onStep?.({
          step,
          steps: stretch?.until ?? config.steps,
          isOpen: isOpenEnded(config) && stretch === undefined,
          ...(run.time === undefined ? {} : { secondsLeft: run.time.secondsLeft() }),
          loss,
          learningRate: learningRate * scheduleShare(schedule, step - 1, { steps: config.steps, stretch }),
          // The session is past the steps before the last one.
          ...(place === losses.length - 1 ? { learned: () => learnedQuantities(config, session) } : {}),
        });
      }
      // A step blocks the thread; between steps, signals and timers must be heard.
      await new Promise((resolve) => setImmediate(resolve));
    }
  } finally {
    if (open !== undefined) await closePhase(open);
  }
}

/** A validation; where it fails, the position is handed over to be kept before the error goes on. */
async function validated(
  run: TrainingRun,
  validate: NonNullable<TrainingRun['validate']>,
  parameters: Parameters,
  at: TrainingPosition,
): Promise<Validation> {
  try {
    return await validate(parameters);
  } catch (cause) {
    try {
      await run.onFailure?.(at);
    } catch {
      // Why the validation failed says more.
    }
    throw cause;
  }
}

/** Parameters that later steps do not change, whatever the session gave. */
function copyOf(parameters: Parameters): Parameters {
  return { ...parameters, entities: parameters.entities.slice() };
}

/** A phase with its session and its batches. */
interface OpenPhase {
  readonly phase: Phase;
  readonly session: TrainingSession;
  readonly batches: BatchStream;
}

async function openPhase(run: TrainingRun, state: TrainingState, phase: Phase): Promise<OpenPhase> {
  const { config } = phase;
  const program = stepProgram(run.model, config, createBatchLayout(batchGroups(config)));
  const session = await run.runtime.open(program, state);
  const { layout, negatives } = program;
  const shape = { layout, negatives, stretch: phase.stretch, optimised: run.optimised };
  const ahead = Math.max(3, stepsAtOnce(session).count);
  return { phase, session, batches: streamBatches(run.model, config, shape, run, { ahead }) };
}

async function learnedQuantities(
  { loss }: TrainingConfig,
  session: TrainingSession,
): Promise<LearnedQuantities> {
  const each = learnedScalars(loss).map(
    async ({ quantity, tensor, shown }) => [quantity, shown((await session.read(tensor))[0]!)] as const,
  );
  return Object.fromEntries(await Promise.all(each));
}

/** The structures of a step, with how many queries each has. */
export function batchGroups({ batch }: Pick<TrainingConfig, 'batch'>): BatchGroup[] {
  return Object.entries(batch)
    .map(([structure, count]) => ({ structure: structure as StructureName, count }))
    .filter(({ count }) => count > 0);
}

/** Trains as many steps as the session runs at once, fewer where `until` comes before. */
async function runSteps(
  { session, batches }: OpenPhase,
  step: number,
  until: number,
): Promise<readonly number[]> {
  const { count, run } = stepsAtOnce(session);
  const end = Math.min(step + count, until);
  const feeds: Feeds[] = [];
  for (let at = step; at < end; at += 1) feeds.push(await batches.feeds(at));
  return run(feeds);
}

/** The error of a step that failed, once the state before it was handed over to be kept, if it can still be read. */
async function stepFailed(
  run: TrainingRun,
  session: TrainingSession,
  at: Omit<TrainingPosition, 'state'>,
  cause: unknown,
): Promise<FuzzError> {
  const { step } = at;
  const reason = messageOf(cause).split('\n', 1)[0]!;
  const { device } = run.runtime;
  const message = isOutOfMemory(reason)
    ? `${device} ran out of memory at step ${step + 1}: ${reason}`
    : `step ${step + 1} failed on ${device}: ${reason}`;
  let kept = 'the last checkpoint is good: go on from it';
  try {
    if (step > 0 && run.onFailure !== undefined) {
      await run.onFailure({ ...at, state: await readState(session, stateNames(run.config)) });
      kept = `step ${step} is saved: go on from it`;
    }
  } catch {
    // What the device held is lost with it; the last checkpoint is not.
  }
  return new FuzzError('runtime', message, {
    hint: `${kept} with --resume, on another device (--device) or with more memory`,
    cause,
  });
}

function isOutOfMemory(reason: string): boolean {
  return /out of memory|bad_alloc|OutOfMemory|allocat\w* (failed|memory)|fail\w* to allocate|array buffer allocation/i.test(
    reason,
  );
}
