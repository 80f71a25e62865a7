import { join } from 'node:path';
import { FuzzError } from '@fuzzqe/core';
import { pathExists, writeFileWhole, writeFolderWhole } from '@fuzzqe/files';
import { readRunState, type TrainingConfig } from '@fuzzqe/train';
import { readClaim } from './claim.ts';
import type { TrialParameters } from './draw-trial.ts';
import { readSweep, type Sweep } from './open-sweep.ts';
import type { SweepStore } from './store/sweep-store.ts';
import { savedRuns, trialEntries, trialKeys } from './store/trial-keys.ts';
import { fetchCheckpoint } from './trial-files.ts';
import { readResult, type TrialOutcome, type TrialValue } from './trial-result.ts';

/** How it stands with a trial. `left`: anyone who ran it is gone or has stopped, and the next process goes on with it. */
export type TrialState = TrialOutcome | 'free' | 'running' | 'left';

/** A trial of a sweep, as its store tells. */
export interface TrialStatus {
  readonly trial: number;
  readonly parameters: TrialParameters;
  readonly state: TrialState;
  /** So far, while it runs. */
  readonly best?: TrialValue | undefined;
  readonly steps: number;
  /** Seconds of training, of a trial that has ended. */
  readonly seconds?: number;
  /** Who runs it. */
  readonly host?: string;
  readonly error?: string;
}

/** How it stands with a sweep. */
export interface SweepStatus {
  readonly sweep: Sweep;
  readonly trials: readonly TrialStatus[];
  /** The trial with the best metric among those that ended; a pruned one, too, is what it reached. */
  readonly best: TrialStatus | undefined;
}

/** How many trials are asked for at once. */
const atOnce = 16;

/**
 * Reads how it stands with the sweep of a store, which is not changed. @throws FuzzError `usage`: there is none.
 *
 * @example
 * const { trials, best } = await sweepStatus(openStore('sweeps/mine'));
 */
export async function sweepStatus(store: SweepStore): Promise<SweepStatus> {
  const sweep = await readSweep(store);
  const sign = sweep.file.objective.direction === 'maximize' ? 1 : -1;
  const better = (a: TrialStatus | undefined, b: TrialStatus): TrialStatus =>
    a?.best !== undefined && sign * a.best.value >= sign * b.best!.value ? a : b;
  const entries = trialEntries(await store.list(trialKeys.all));
  const statusOf = async (trial: number): Promise<TrialStatus> => {
    const parameters = sweep.parametersOf(trial);
    const entry = entries.get(trial);
    const result = entry?.hasResult === true ? await readResult(store, trial) : undefined;
    if (result !== undefined) {
      const { outcome, best, steps, seconds, error } = result;
      return {
        ...{ trial, parameters, state: outcome, best, steps, seconds },
        ...(error === undefined ? {} : { error }),
      };
    }
    const claim = entry === undefined ? undefined : await readClaim(store, trial, entry.claim);
    if (claim === undefined) return { trial, parameters, state: 'free', steps: 0 };
    const best = claim.values.reduce<TrialValue | undefined>(
      (least, each) => (least !== undefined && sign * least.value >= sign * each.value ? least : each),
      undefined,
    );
    const { isAlive, step, host } = claim;
    return { trial, parameters, state: isAlive ? 'running' : 'left', best, steps: step, host };
  };
  const trials: TrialStatus[] = [];
  while (trials.length < sweep.trials) {
    const length = Math.min(atOnce, sweep.trials - trials.length);
    const next = Array.from({ length }, (_, i) => statusOf(trials.length + i));
    trials.push(...(await Promise.all(next)));
  }
  const ended = trials.filter(
    ({ state, best }) => best !== undefined && !['free', 'running', 'left', 'failed'].includes(state),
  );
  return { sweep, trials, best: ended.reduce<TrialStatus | undefined>(better, undefined) };
}

/**
 * Writes the best trial of a sweep into a folder: its run, which can be evaluated and exported, and its configuration next to it
 * (`config.json`).
 *
 * @throws FuzzError `usage`: no trial has ended yet; something stands in the folder. `data`: the run is not in the store.
 * @example
 * const { config } = await writeBestTrial(openStore('sweeps/mine'), 'runs/best');
 */
export async function writeBestTrial(
  store: SweepStore,
  folder: string,
): Promise<TrialStatus & { readonly config: TrainingConfig }> {
  const { sweep, best } = await sweepStatus(store);
  if (best === undefined)
    throw new FuzzError('usage', 'no trial of the sweep has ended with a validation yet', {
      path: store.name,
      hint: 'See how it stands: fuzzqe sweep status STORE',
    });
  const { claim } = (await readResult(store, best.trial))!;
  const config = sweep.configOf(best.trial);
  const path = folder;
  const expectReplaceable = async (): Promise<void> => {
    if (await pathExists(path))
      throw new FuzzError('usage', 'there is something here already', {
        path,
        hint: 'Choose another folder.',
      });
  };
  await writeFolderWhole({ path, expectReplaceable }, async (temporary) => {
    // Anyone who took the trial over before its result was there has a run of its own, and removes that of the result.
    const saved = await savedRuns(store, best.trial);
    const runs = [claim, ...saved.filter((each) => each !== claim)];
    const isThere = await fetchCheckpoint(store, temporary, { trial: best.trial, runs });
    if (!isThere || (await readRunState(temporary)).best?.step !== best.best?.step)
      throw new FuzzError('data', `the store lacks the run of trial ${best.trial}, which is the best`, {
        path: `${store.name}/${trialKeys.runs(best.trial)}`,
        hint: `Remove ${trialKeys.of(best.trial)}* there, and it is trained anew.`,
      });
    await writeFileWhole(join(temporary, 'config.json'), `${JSON.stringify(config, null, 2)}\n`);
  });
  return { ...best, config };
}
