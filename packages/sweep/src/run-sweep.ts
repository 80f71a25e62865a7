import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom, expectOptions, FuzzError } from '@fuzzqe/core';
import { usualLease } from './claim.ts';
import { type ClaimedTrial, claimNext } from './claim-next.ts';
import { enterSweep, type Sweep } from './open-sweep.ts';
import { createReports } from './reports.ts';
import { isAway, runTrial, type TrialEnd, type TrialMachine, type TrialObserver } from './run-trial.ts';
import { type SweepStore, withPatience } from './store/sweep-store.ts';
import { createTrialView } from './trial-view.ts';

/** A process that works on a sweep. */
export interface SweepWorker extends TrialMachine {
  readonly store: SweepStore;
  readonly sweep: Sweep;
  /** Only this trial; where somebody else runs it, waits until it has ended or can be taken over. */
  readonly trial?: number;
  /** At most so many trials. Default: until there is none left to claim. */
  readonly most?: number;
  /** Where all that are left are run elsewhere, waits for what may have to be taken over, until none is left. */
  readonly wait?: boolean;
  /** Seconds without a sign of life after which others may take a trial over. */
  readonly lease?: number;
  readonly signal?: AbortSignal;
  readonly onTrial?: (trial: number, parameters: Readonly<Record<string, unknown>>, claim: number) => void;
  /** A trial that this machine could not run; it goes on with the others. */
  readonly onTrialError?: (trial: number, cause: unknown) => void;
  readonly onTrialEnd?: (trial: number, end: TrialEnd) => void;
  /** While it waits for others. */
  readonly onWaiting?: (running: number) => void;
  readonly observer?: TrialObserver;
  /** Waits before it looks again. Default: a quarter of the lease. */
  readonly pause?: (signal: AbortSignal | undefined) => Promise<unknown>;
}

/** What a process did. */
export interface SweepWork {
  readonly ended: 'done' | 'interrupted';
  /** Trials that ended here, in order. */
  readonly trials: readonly TrialEnd[];
  /** Trials that others run still. */
  readonly running: number;
}

/**
 * Works on a sweep: claims the next trial that nobody has or whose process is gone, runs it, enters its result, until none is left.
 *
 * Any number of processes may do so at once with the same store, and none of them decides for the others.
 *
 * A trial that throws what is no result is free for others and left out here; the others go on, unless the disk is full.
 *
 * @throws FuzzError `usage`: the store holds another sweep; the trial does not exist. `runtime`: the store cannot be reached. What the
 *   first trial threw that did, once no other is left.
 * @example
 * import { readSweep } from '@fuzzqe/sweep';
 * const store = openStore('sweeps/mine');
 * const work = { dataset, queries: { train: queries, valid: queries }, threads: 2 };
 * await runSweep({ ...work, store, sweep: await readSweep(store), runtime: ortCpuRuntime({ threads: 2 }) });
 */
export async function runSweep(worker: SweepWorker): Promise<SweepWork> {
  expectOptions('runSweep', worker, ['store', 'sweep']);
  const { store: given, sweep, trial, signal, lease = usualLease } = worker;
  if (trial !== undefined && (trial < 0 || trial >= sweep.trials))
    throw new FuzzError('range', `trial: expected 0 to ${sweep.trials - 1}, got ${trial}`, {
      hint: 'Trials are counted from 0.',
    });
  // Between trials there is nothing to be saved: the signal ends what is asked.
  const store = withPatience(given, { signal });
  await enterSweep(store, sweep, { signal });
  const pause =
    worker.pause ?? ((abort) => sleep(250 * lease, undefined, abort === undefined ? {} : { signal: abort }));
  const trials: TrialEnd[] = [];
  const most = trial === undefined ? (worker.most ?? Number.POSITIVE_INFINITY) : 1;
  const isWaiting = worker.wait === true || trial !== undefined;
  const all = trial === undefined ? Array.from({ length: sweep.trials }, (_, i) => i) : [trial];
  // Another in each process: else all would draw the same.
  const random = createRandom(randomUUID());
  const view = createTrialView(store, trial);
  const reports = createReports(store, sweep, trial === undefined ? view : createTrialView(store));
  /** Trials that threw here, with what. */
  const left = new Map<number, unknown>();
  const isStopped = (): boolean => signal?.aborted === true;
  let awaySince: number | undefined;
  while (!isStopped() && trials.length < most) {
    let next: ClaimedTrial;
    try {
      next = await claimNext(given, view, { trials: all, left, lease, signal, random });
      awaySince = undefined;
    } catch (cause) {
      if (isStopped()) break;
      awaySince ??= performance.now();
      // As long as a trial would go on without the store.
      if (!isAway(cause) || performance.now() - awaySince > 750 * lease) throw cause;
      await pause(signal).catch(() => {});
      continue;
    }
    const { claimed, running } = next;
    if (claimed === undefined) {
      // A signal leaves trials unasked: none to be had says nothing then.
      if (isStopped()) break;
      if (running === 0 || !isWaiting) {
        if (left.size > 0) throw [...left.values()][0];
        return { ended: 'done', trials, running };
      }
      worker.onWaiting?.(running);
      // It ends early, by an error, where the signal says stop.
      await pause(signal).catch(() => {});
      continue;
    }
    const { claim, runs } = claimed;
    worker.onTrial?.(claim.trial, sweep.parametersOf(claim.trial), claim.number);
    const { observer = {} } = worker;
    let end: TrialEnd;
    try {
      end = await runTrial(
        given,
        sweep,
        claim,
        runs,
        { ...worker, reports },
        {
          observer,
          ...(signal === undefined ? {} : { signal }),
          ...(worker.pause === undefined ? {} : { pause: worker.pause }),
        },
      );
    } catch (cause) {
      if (isStopped() || (cause instanceof FuzzError && cause.code === 'storage')) throw cause;
      left.set(claim.trial, cause);
      worker.onTrialError?.(claim.trial, cause);
      continue;
    }
    if (end.kind === 'ended') view.note(claim.trial, { hasResult: true });
    worker.onTrialEnd?.(claim.trial, end);
    if (end.kind !== 'lost') trials.push(end);
  }
  if (!isStopped() && left.size > 0) throw [...left.values()][0];
  const ended = signal?.aborted === true ? 'interrupted' : 'done';
  return { ended, trials, running: 0 };
}
