import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FuzzError } from '@fuzzqe/core';
import { makeFolder } from '@fuzzqe/files';
import { type TrainRunOptions, trainRun } from '@fuzzqe/pipeline';
import {
  bestValidation,
  fitBatch,
  isDivergence,
  type RunOptions,
  type RunResult,
  type RunState,
  readRunLog,
  readRunState,
  type Validation,
} from '@fuzzqe/train';
import type { Claim } from './claim.ts';
import type { Sweep } from './open-sweep.ts';
import { isPruned } from './prune.ts';
import { createReports, type Reports } from './reports.ts';
import { type SweepStore, withPatience } from './store/sweep-store.ts';
import { trialKeys } from './store/trial-keys.ts';
import type { Objective } from './sweep-file.ts';
import { fetchCheckpoint, keepCheckpoints } from './trial-files.ts';
import type { TrialOutcome, TrialResult, TrialValue } from './trial-result.ts';

/** What trials of a sweep share on a machine. */
export interface TrialMachine
  extends Pick<
    TrainRunOptions,
    'dataset' | 'queries' | 'runtime' | 'limits' | 'threads' | 'checkpointMinutes'
  > {
  /** Where trials are trained until they are in the store. Default: the system's temporary folder. */
  readonly folder?: string;
  /** What the process knows of other trials. Default: it reads them anew. */
  readonly reports?: Reports;
  /** Seconds that the last checkpoint may take to reach the store once the signal says stop; then it is left out. Default 20. */
  readonly grace?: number;
}

/** What is told of a trial while it runs. */
export type TrialObserver = Pick<RunOptions, 'onStep' | 'onValidation'>;

/** How a process let go of a trial. */
export type TrialEnd =
  | { readonly kind: 'ended'; readonly result: TrialResult }
  /** Stopped by the signal; its checkpoint is in the store, and others may go on with it. */
  | { readonly kind: 'interrupted'; readonly step: number }
  /** Another process has it now. */
  | { readonly kind: 'lost' };

/**
 * Runs a claimed trial: from the newest checkpoint in the store, to its end or until it is pruned, has used its budget or is told to
 * stop. Checkpoints are in the store as soon as they are written, and the result is entered there once.
 *
 * A trial whose loss is not finite has failed, which is a result; other errors are the machine's and go on, the trial being released.
 */
export async function runTrial(
  given: SweepStore,
  sweep: Sweep,
  claim: Claim,
  runs: readonly number[],
  { folder = tmpdir(), reports = createReports(given, sweep), grace = 20, ...machine }: TrialMachine,
  {
    observer = {},
    signal,
    pause = (abort) => sleep(1000, undefined, { signal: abort }).catch(() => {}),
  }: {
    readonly observer?: TrialObserver;
    readonly signal?: AbortSignal;
    /** Waits before a store that is away is asked again. Default 1 s. */
    readonly pause?: (signal: AbortSignal) => Promise<unknown>;
  } = {},
): Promise<TrialEnd> {
  await makeFolder(folder);
  const late = lateAfter(signal, grace);
  // Schedulers kill half a minute after they have asked: a store that does not answer must not take all of it.
  const store = withPatience(given, { signal: late.signal });
  const directory = await mkdtemp(join(folder, `fuzzqe-trial-${claim.trial}-`));
  try {
    const end = await runInFolder(store, sweep, claim, {
      runs,
      directory,
      machine,
      reports,
      observer,
      signal,
      pause,
    });
    await claim.end({ release: end.kind === 'interrupted' });
    return end;
  } catch (cause) {
    await claim.end({ release: true });
    throw cause;
  } finally {
    late.end();
    await rm(directory, { recursive: true, force: true });
  }
}

/** A signal that is raised some seconds after another. */
function lateAfter(
  signal: AbortSignal | undefined,
  seconds: number,
): { readonly signal: AbortSignal; end(): void } {
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    timer = setTimeout(() => late.abort(), 1000 * seconds);
  };
  if (signal?.aborted === true) begin();
  else signal?.addEventListener('abort', begin, { once: true });
  return {
    signal: late.signal,
    end() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', begin);
    },
  };
}

interface TrialRun {
  readonly runs: readonly number[];
  readonly directory: string;
  readonly machine: Omit<TrialMachine, 'folder' | 'reports' | 'grace'>;
  readonly reports: Reports;
  readonly observer: TrialObserver;
  readonly signal: AbortSignal | undefined;
  readonly pause: (signal: AbortSignal) => Promise<unknown>;
}

async function runInFolder(store: SweepStore, sweep: Sweep, claim: Claim, run: TrialRun): Promise<TrialEnd> {
  const { directory, machine, reports, observer } = run;
  const { trial } = claim;
  const { objective, pruning, budget } = sweep.file;
  const parameters = sweep.parametersOf(trial);
  const { config } = fitBatch(sweep.configOf(trial), machine.queries.train);
  const insist = <T>(ask: () => Promise<T>): Promise<T | undefined> =>
    untilThere(ask, { claim, signal: run.signal, pause: run.pause });
  const resume = await insist(() => fetchCheckpoint(store, directory, { trial, runs: run.runs }));
  if (resume === undefined) return { kind: 'lost' };
  const values: TrialValue[] = resume ? await valuesOf(directory, objective) : [];
  const before = resume ? await secondsOf(directory) : 0;
  const keeper = keepCheckpoints(store, directory, { trial, claim: claim.number, earlier: run.runs });
  const stop = new AbortController();
  let why: TrialOutcome | undefined;
  const begun = performance.now();
  const seconds = (): number => before + (performance.now() - begun) / 1000;
  const stopFor = (outcome: TrialOutcome): void => {
    why ??= outcome;
    stop.abort();
  };
  /** A state that the store could not take yet. */
  let unsaved: RunState | undefined;
  let failure: FuzzError | undefined;
  let trained: RunResult | undefined;
  try {
    trained = await trainRun({
      ...machine,
      config,
      directory,
      resume,
      signal: AbortSignal.any([stop.signal, claim.lost, ...(run.signal === undefined ? [] : [run.signal])]),
      async onCheckpoint(state) {
        // Anyone who took the trial over has checkpoints of its own.
        if (claim.lost.aborted) return;
        unsaved = state;
        if (await isThere(() => keeper.save(state))) unsaved = undefined;
      },
      onStep(at) {
        observer.onStep?.(at);
        void claim.report({ step: at.step, values });
        if (budget.minutes !== undefined && seconds() >= 60 * budget.minutes) stopFor('budget');
      },
      async onValidation(at) {
        await observer.onValidation?.(at);
        values.push({ step: at.step, value: metricOf(at, objective) });
        await claim.report({ step: at.step, values }, true);
        await isThere(async () => {
          if (at.step < config.steps && isPruned(pruning, objective, values, await reports.others(trial)))
            stopFor('pruned');
        });
      },
    });
  } catch (cause) {
    if (!isDivergence(cause)) throw cause;
    failure = cause;
  }
  const rest = unsaved;
  if (trained?.ended === 'interrupted' && why === undefined && !claim.lost.aborted) {
    // One attempt, for as long as there is: anyone who goes on does so from the checkpoint that the store has.
    if (rest !== undefined) await isThere(() => keeper.save(rest));
    return { kind: 'interrupted', step: trained.step };
  }
  if (rest !== undefined) await insist(() => keeper.save(rest));
  if ((await insist(() => claim.isHeld())) !== true) return { kind: 'lost' };
  const state = trained?.state ?? (await readRunState(directory).catch(() => undefined));
  const best = await bestValidation(directory, state?.best);
  const isUnvalidated = failure === undefined && best === undefined;
  const ended = trained?.ended === 'stalled' ? 'stalled' : 'finished';
  const result: TrialResult = {
    trial,
    parameters,
    outcome: failure !== undefined || isUnvalidated ? 'failed' : (why ?? ended),
    ...(best === undefined ? {} : { best: { step: best.step, value: metricOf(best, objective) } }),
    steps: trained?.step ?? state?.last?.step ?? 0,
    values,
    seconds: Math.round(10 * seconds()) / 10,
    claim: claim.number,
    ...(failure === undefined ? {} : { error: failure.message }),
    ...(isUnvalidated ? { error: 'it ended before its first validation' } : {}),
  };
  // Where another process was first, its result stands.
  const entered = await insist(() => store.create(trialKeys.result(trial), `${JSON.stringify(result)}\n`));
  if (entered !== true) return { kind: 'lost' };
  return { kind: 'ended', result };
}

/** Does work with the store; gives false where the store is away, which only the claim's end makes an error of the trial. */
async function isThere(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (cause) {
    // `interrupted`: it was too late for the store.
    if (isAway(cause) || (cause instanceof FuzzError && cause.code === 'interrupted')) return false;
    throw cause;
  }
}

/** Asks the store until it answers; undefined where the claim is lost first. @throws what it throws once the signal says stop. */
async function untilThere<T>(
  ask: () => Promise<T>,
  { claim, signal, pause }: Pick<TrialRun, 'signal' | 'pause'> & { readonly claim: Claim },
): Promise<T | undefined> {
  while (!claim.lost.aborted) {
    try {
      return await ask();
    } catch (cause) {
      if (claim.lost.aborted) break;
      if (!isAway(cause) || signal?.aborted === true) throw cause;
    }
    await pause(AbortSignal.any([claim.lost, ...(signal === undefined ? [] : [signal])]));
  }
  return undefined;
}

/** Whether it is the store that did not answer. */
export function isAway(cause: unknown): boolean {
  return cause instanceof FuzzError && cause.code === 'runtime';
}

/** The metric of a validation. @throws FuzzError `config`: nothing was validated that it could be. */
function metricOf({ mrr, structures }: Validation, { metric }: Objective): number {
  if (metric === 'mrr') return mrr;
  const value = structures[metric];
  if (value !== undefined) return value;
  throw new FuzzError('config', `objective.metric: there are no validation queries of ${metric}`, {
    hint: `Validated are ${Object.keys(structures).join(', ')}.`,
  });
}

/** The validations up to the checkpoint that a run goes on from. */
async function valuesOf(directory: string, objective: Objective): Promise<TrialValue[]> {
  const { last } = await readRunState(directory);
  const log = await readRunLog(directory);
  return log.flatMap((entry) =>
    entry.kind === 'validation' && entry.step <= (last?.step ?? 0)
      ? [{ step: entry.step, value: metricOf(entry, objective) }]
      : [],
  );
}

async function secondsOf(directory: string): Promise<number> {
  const { last } = await readRunState(directory);
  const log = await readRunLog(directory);
  return log.filter(({ step }) => step <= (last?.step ?? 0)).at(-1)?.seconds ?? 0;
}
