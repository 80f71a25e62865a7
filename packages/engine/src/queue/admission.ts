import { FuzzError } from '@fuzzqe/core';
import { createOverload, type OverloadOptions } from './overload.ts';
import { createRecentCount } from './recent-count.ts';

/** Says who may wait, by how long that would take. */
export interface Admission {
  /** Notes what so many requests cost together, and how long a ranker took for them, in milliseconds. */
  measured(count: number, cost: number, milliseconds: number): void;
  /** What a request costs in the mean of the last ones, in milliseconds of one core. */
  readonly typicalCost: number;
  /**
   * Why a request may not wait, behind others of this cost for so many rankers; undefined where it may. Anyone who asks again is not
   * one more of those that were refused. Whether there is an overload is told from all that waits, which is more for those whose
   * turn comes sooner: who asks for little does not end the overload that somebody else makes.
   */
  refusalOf(
    costBefore: number,
    rankers: number,
    asksAgain?: boolean,
    costOfAll?: number,
  ): FuzzError | undefined;
}

/** How long requests may wait. */
export interface AdmissionOptions extends OverloadOptions {
  /** Milliseconds. */
  readonly waitingTime: number;
}

/** How much of its weight a batch has left after the next one. */
const memory = 0.95;

/** In which refusals are forgotten, in milliseconds. */
const refusalTime = 1000;

/** Seconds. */
const longestRetry = 60;

/**
 * Admission by the time that a request would wait, from what waits before it and the pace of the last batches.
 *
 *     wait = pace · costBefore / rankers,  pace = Σ milliseconds / Σ cost
 *
 * In an overload that lasts, by the wait behind all, what would wait longer than `waitingTime` is refused, with the time after which all that was refused
 * lately would have been answered, too.
 */
export function createAdmission({ waitingTime, ...options }: AdmissionOptions): Admission {
  const { now = () => performance.now() } = options;
  const overload = createOverload(options);
  let [counts, costs, times] = [0, 0, 0];
  const refused = createRecentCount(refusalTime, now);
  const typicalCost = (): number => (counts === 0 ? 1 : costs / counts);
  return {
    get typicalCost() {
      return typicalCost();
    },
    measured(count, cost, milliseconds) {
      counts = memory * counts + count;
      costs = memory * costs + cost;
      times = memory * times + milliseconds;
    },
    refusalOf(costBefore, rankers, asksAgain = false, costOfAll = costBefore) {
      const pace = (costs === 0 ? 1 : times / costs) / Math.max(1, rankers);
      const wait = pace * costBefore;
      const isOn = overload.note(pace * Math.max(costBefore, costOfAll) > waitingTime);
      if (!isOn || wait <= waitingTime) return undefined;
      const costRefused = refused(asksAgain ? 0 : 1) * typicalCost();
      return overloaded(`a query would wait for ${Math.round(wait)} ms`, (wait + costRefused * pace) / 1000);
    },
  };
}

/** The error of a call that may not wait. */
export function overloaded(why: string, seconds: number): FuzzError {
  const retryAfter = Math.min(longestRetry, Math.max(1, Math.ceil(seconds)));
  return new FuzzError('overloaded', why, {
    hint: retryAfter === 1 ? 'Ask again in a second.' : `Ask again in ${retryAfter} seconds.`,
    retryAfter,
  });
}
