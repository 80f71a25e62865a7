import type { Random } from '@fuzzqe/core';
import { type Claim, isClaimAlive, takeClaim } from './claim.ts';
import { type SweepStore, withPatience } from './store/sweep-store.ts';
import { savedRuns, trialKeys, untouched } from './store/trial-keys.ts';
import type { TrialView } from './trial-view.ts';

/** What is claimed from. */
export interface Claimable {
  /** In the order in which they are wanted. */
  readonly trials: readonly number[];
  /** Trials to be left out. */
  readonly left: { has(trial: number): boolean };
  /** Seconds without a sign of life after which others may take a claim over. */
  readonly lease: number;
  readonly signal?: AbortSignal | undefined;
  /** What draws trials; which does not change what they reach. */
  readonly random: Random;
}

/** What came of it. */
export interface ClaimedTrial {
  /** Undefined where there is none to be had. `runs`: the claims that saved a checkpoint, the newest first. */
  readonly claimed: { readonly claim: Claim; readonly runs: readonly number[] } | undefined;
  /** How many others run. */
  readonly running: number;
}

/**
 * Claims the next trial that can be had: first those that nobody had at the last listing, then, by a new listing, those whose
 * process is gone.
 *
 * A trial that nobody had costs one request, and one more for each that is asked for in vain because another has claimed it since the
 * listing. Anyone who finds the first one gone draws the next, so that many processes do not ask for the same ones all the way.
 */
export async function claimNext(
  store: SweepStore,
  view: TrialView,
  { trials, left, lease, signal, random }: Claimable,
): Promise<ClaimedTrial> {
  // A claim itself outlives the signal: it has to be released.
  const bounded = withPatience(store, { signal });
  const isStopped = (): boolean => signal?.aborted === true;
  const listed = await view.entries();
  const free = trials.filter((trial) => !listed.has(trial) && !left.has(trial));
  const asked = new Set<number>();
  for (const trial of scattered(free, random)) {
    if (isStopped()) return none;
    if (asked.has(trial)) continue;
    asked.add(trial);
    // Without a claim before it there is no checkpoint and no result.
    const claim = await takeClaim(store, trial, 1, { lease, signal });
    view.note(trial, { claim: 1 });
    if (claim !== undefined) return { claimed: { claim, runs: [] }, running: 0 };
  }
  const entries = await view.entries({ fresh: true });
  let running = 0;
  for (const trial of trials) {
    if (isStopped()) break;
    const { claim: last, hasResult } = entries.get(trial) ?? untouched;
    if (hasResult || left.has(trial)) continue;
    const claim =
      last > 0 && (await isClaimAlive(bounded, trial, last))
        ? undefined
        : await takeClaim(store, trial, last + 1, { lease, signal });
    if (claim === undefined) {
      running += 1;
      continue;
    }
    view.note(trial, { claim: claim.number });
    try {
      // It may have ended, or saved more, since the keys were listed.
      if ((await bounded.read(trialKeys.result(trial))) === undefined)
        return { claimed: { claim, runs: await savedRuns(bounded, trial) }, running };
    } catch (cause) {
      // Nobody would run the trial while its signs of life go on.
      await claim.end({ release: true });
      throw cause;
    }
    view.note(trial, { hasResult: true });
    await claim.end({ release: false });
  }
  return { claimed: undefined, running };
}

const none: ClaimedTrial = { claimed: undefined, running: 0 };

/** How many are drawn before all are gone through. */
const draws = 64;

/** The first item, then some that are drawn, then all in their order. */
function* scattered(items: readonly number[], random: Random): Generator<number> {
  const [first] = items;
  if (first === undefined) return;
  yield first;
  for (let draw = 0; draw < Math.min(draws, items.length); draw += 1)
    yield items[random.below(items.length)]!;
  yield* items;
}
