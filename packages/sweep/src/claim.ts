import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { schema } from '@fuzzqe/core';
import { isRunning, thisMachine } from '@fuzzqe/files';
import type { StorePatience, SweepStore } from './store/sweep-store.ts';
import { trialKeys } from './store/trial-keys.ts';
import { type TrialValue, trialValueSchema } from './trial-result.ts';

/** What a claim says, to anyone who looks. */
export interface ClaimRecord {
  readonly token: string;
  readonly host: string;
  readonly pid: number;
  /** Tells processes of one machine from those of another that has its name; absent where the system does not say. */
  readonly machine?: string | undefined;
  /** ISO 8601, in UTC. */
  readonly started: string;
  /** Seconds without a sign of life after which the trial may be taken over. */
  readonly lease: number;
  readonly state: 'held' | 'released';
  /** Steps that have been trained. */
  readonly step: number;
  readonly values: readonly TrialValue[];
}

const claimSchema: schema.Schema<ClaimRecord> = schema.object({
  token: schema.string,
  host: schema.string,
  pid: schema.integer({ min: 1 }),
  machine: schema.optional(schema.string),
  started: schema.string,
  lease: schema.number({ above: 0 }),
  state: schema.oneOf(['held', 'released']),
  step: schema.integer({ min: 0 }),
  values: schema.array(trialValueSchema),
});

/** A trial that this process alone may run. */
export interface Claim {
  readonly trial: number;
  /** 1 for the first that had the trial, and one more for each that took it over. */
  readonly number: number;
  /** Raised when it was taken over, or the store could not be told for so long that it may have been. */
  readonly lost: AbortSignal;
  /**
   * Tells how far the trial is, with the next sign of life, or at once where `now` is true; with the next where the store is away then.
   */
  report(at: { readonly step: number; readonly values: readonly TrialValue[] }, now?: boolean): Promise<void>;
  /** Looks whether it is held still; raises `lost` where it is not. */
  isHeld(): Promise<boolean>;
  /** Stops giving signs of life, what is under way included; with `release`, others may take the trial at once. One short attempt. */
  end(options: { readonly release: boolean }): Promise<void>;
}

/** Whether somebody runs a trial, as its newest claim says. */
export async function isClaimAlive(store: SweepStore, trial: number, number: number): Promise<boolean> {
  return (await readClaim(store, trial, number))?.isAlive === true;
}

/** A claim with what it means now; undefined where it is not there. */
export async function readClaim(
  store: SweepStore,
  trial: number,
  number: number,
): Promise<(ClaimRecord & { readonly isAlive: boolean }) | undefined> {
  const found = await store.read(trialKeys.claim(trial, number));
  if (found === undefined) return undefined;
  const claim = schema.recogniseJson(claimSchema, found.text);
  // One that cannot be read is nobody's for long.
  if (claim === undefined) return { ...unreadable, isAlive: found.age < usualLease };
  const { state, lease, machine, pid, started } = claim;
  if (state === 'released' || found.age >= lease) return { ...claim, isAlive: false };
  // Of processes of this machine it is known at once.
  const isHere = machine !== undefined && machine === thisMachine();
  return { ...claim, isAlive: !isHere || (await isRunning(pid, Date.parse(started))) };
}

/** Seconds without a sign of life after which a trial may be taken over, unless the command says otherwise. */
export const usualLease = 120;

const unreadable: ClaimRecord = {
  ...{ token: '', host: 'unknown', pid: 1, started: '', lease: usualLease },
  ...{ state: 'held', step: 0, values: [] },
};

/**
 * Claims a trial by the number after its newest claim: an exclusive file, so that of many one gets it. Undefined where another did, or the
 * signal said stop before it was asked for; where asking fails, or the signal ends it, the trial is free.
 *
 * Every quarter of the lease it gives a sign of life and looks whether somebody took the trial over.
 */
export async function takeClaim(
  store: SweepStore,
  trial: number,
  number: number,
  { lease = usualLease, signal }: { readonly lease?: number; readonly signal?: AbortSignal | undefined } = {},
): Promise<Claim | undefined> {
  const machine = thisMachine();
  let record: ClaimRecord = {
    token: randomUUID(),
    host: hostname(),
    pid: process.pid,
    ...(machine === undefined ? {} : { machine }),
    started: new Date().toISOString(),
    ...{ lease, state: 'held', step: 0, values: [] },
  };
  const key = trialKeys.claim(trial, number);
  let sent = performance.now();
  if (signal?.aborted === true) return undefined;
  try {
    if (!(await store.create(key, text(record), { signal }))) return undefined;
  } catch (cause) {
    await withdraw(store, key, record);
    throw cause;
  }
  const [lost, ending] = [new AbortController(), new AbortController()];
  const patience = { signal: AbortSignal.any([lost.signal, ending.signal]) };
  let [isEnded, isBeating] = [false, false];
  const isHeld = async (): Promise<boolean> => {
    if (lost.signal.aborted) return false;
    if ((await store.read(trialKeys.claim(trial, number + 1), patience)) !== undefined) lost.abort();
    return !lost.signal.aborted;
  };
  const send = async (how: StorePatience = patience): Promise<void> => {
    const begun = performance.now();
    await store.write(key, text(record), how);
    sent = begun;
  };
  // One after the other: an older record must not come after a newer one.
  let queue: Promise<void> = Promise.resolve();
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = queue.then(work);
    queue = done.catch(() => {});
    return done;
  };
  const beat = async (): Promise<void> => {
    try {
      if (await isHeld()) await send();
    } catch {
      // A store that cannot be reached may be again in time.
    }
    isBeating = false;
  };
  const timer = setInterval(() => {
    // Nobody may take it over before the whole lease has passed: here a quarter of it is left to stop.
    if (performance.now() - sent > 750 * lease) lost.abort();
    if (isEnded || isBeating) return;
    isBeating = true;
    void inTurn(beat);
  }, 250 * lease);
  timer.unref();
  return {
    trial,
    number,
    lost: lost.signal,
    isHeld,
    async report(at, now = false) {
      record = { ...record, ...at };
      // Where it fails, the next sign of life has it; `lost` says when that is too late.
      if (now) await inTurn(send).catch(() => {});
    },
    async end({ release }) {
      isEnded = true;
      clearInterval(timer);
      ending.abort();
      await queue;
      if (!release || lost.signal.aborted) return;
      record = { ...record, state: 'released' };
      // Where the store cannot be told, the lease runs out.
      await send({ attempts: 1, timeout: releaseTimeout }).catch(() => {});
    },
  };
}

/**
 * Frees a claim of which nobody knows whether it was made: the request failed, and may have been carried out or be on its way still.
 *
 * A released claim takes its key where it has none, so that what comes late finds it taken. Where the store cannot be told, the lease runs out.
 */
async function withdraw(store: SweepStore, key: string, record: ClaimRecord): Promise<void> {
  const released = text({ ...record, state: 'released' });
  const patience = { attempts: 3, timeout: releaseTimeout, signal: AbortSignal.timeout(releaseTimeout) };
  try {
    if (await store.create(key, released, patience)) return;
    const found = schema.recogniseJson(claimSchema, (await store.read(key, patience))?.text ?? '');
    if (found?.token === record.token) await store.write(key, released, patience);
  } catch {
    // As said above.
  }
}

/** Milliseconds that a release may take, whatever the store does. */
const releaseTimeout = 5000;

function text(record: ClaimRecord): string {
  return `${JSON.stringify(record)}\n`;
}
