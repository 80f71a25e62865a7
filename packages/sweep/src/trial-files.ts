import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FuzzError } from '@fuzzqe/core';
import { pathExists } from '@fuzzqe/files';
import { type RunState, readRunState } from '@fuzzqe/train';
import type { SweepStore } from './store/sweep-store.ts';
import { trialKeys } from './store/trial-keys.ts';

const [stateFile, logFile] = ['state.json', 'log.jsonl'];

/** Puts the checkpoints of a run into a store, under the number of a claim. */
export interface CheckpointKeeper {
  /** Returns when the store has all that the state names; it stands there last. */
  save(state: RunState): Promise<void>;
}

/** Opens a keeper for the run in a folder. Earlier claims' checkpoints are removed once this claim's first is there. */
export function keepCheckpoints(
  store: SweepStore,
  directory: string,
  {
    trial,
    claim,
    earlier,
  }: { readonly trial: number; readonly claim: number; readonly earlier: readonly number[] },
): CheckpointKeeper {
  let there: readonly string[] = [];
  let older = earlier;
  const keyOf = (file: string): string => trialKeys.run(trial, claim, file);
  return {
    async save({ last, best }) {
      const files = [...new Set([last?.file, best?.file])].filter((file) => file !== undefined);
      for (const file of files)
        if (!there.includes(file)) await store.upload(keyOf(file), join(directory, file));
      if (await pathExists(join(directory, logFile)))
        await store.upload(keyOf(logFile), join(directory, logFile));
      await store.upload(keyOf(stateFile), join(directory, stateFile));
      const gone = there.filter((file) => !files.includes(file));
      there = files;
      for (const file of gone) await store.remove(keyOf(file));
      for (const each of older) await removeRun(store, trial, each);
      older = [];
    },
  };
}

async function removeRun(store: SweepStore, trial: number, claim: number): Promise<void> {
  const begin = trialKeys.run(trial, claim, '');
  const keys = await store.list(begin);
  // The state first: without it the rest is nobody's checkpoint.
  const state = trialKeys.run(trial, claim, stateFile);
  for (const key of keys.toSorted((a, b) => Number(b === state) - Number(a === state)))
    await store.remove(key);
}

/**
 * Copies the newest checkpoint of a trial from a store into an empty folder; gives whether there was one.
 *
 * @throws FuzzError `data`: the store lacks a file that the state names.
 */
export async function fetchCheckpoint(
  store: SweepStore,
  directory: string,
  { trial, runs }: { readonly trial: number; readonly runs: readonly number[] },
): Promise<boolean> {
  for (const claim of runs) {
    // A process that was taken over may replace its files once more meanwhile: then its state is another.
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const fetched = await fetchRun(store, directory, trial, claim);
      if (fetched === 'all') return true;
      if (fetched === 'none') break;
      if (attempt === 2)
        throw new FuzzError('data', `the store lacks ${fetched}, which the state of the trial names`, {
          path: `${store.name}/${trialKeys.runs(trial)}`,
          hint: `Remove it and ${trialKeys.of(trial)}* there, and the trial is trained anew.`,
        });
    }
  }
  return false;
}

async function fetchRun(store: SweepStore, directory: string, trial: number, claim: number): Promise<string> {
  const get = (file: string): Promise<boolean> =>
    store.download(trialKeys.run(trial, claim, file), join(directory, file));
  if (!(await get(stateFile))) return 'none';
  const { last, best } = await readRunState(directory);
  for (const file of new Set([last?.file, best?.file])) {
    if (file === undefined || (await get(file))) continue;
    await rm(join(directory, stateFile));
    return file;
  }
  await get(logFile);
  return 'all';
}
