import { createOverload } from '@fuzzqe/engine';

/** How long work begins in a turn at least, and at most, in milliseconds. */
const leastTime = 4;
const mostTime = 10;

/** In an overload one in so many is the oldest: nobody waits for ever. */
const oldestIn = 8;

/** Lets work begin in pieces, so that what else there is to do has its turns. */
export interface TurnScheduler {
  begin(work: () => void): void;
  /** Whether for long there has been more work than turns for it. */
  readonly isOverloaded: boolean;
  /** Has one work begin in the next turn, and no more: somebody waits for the turns of the loop themselves. Of two turns at most one. */
  hurry(): void;
}

/**
 * Lets work begin in order, at once where none has begun in this turn of the event loop, and else for a share of the turns
 * that follow: half as long as what else there was to do, such as sending answers and taking connections, 4 ms at least.
 *
 * Whatever comes in meanwhile, an answer of a worker or a health probe, waits for 10 ms of work at most and not for all. In an
 * overload that lasts, the newest begins first: anyone who waits for the oldest has often given up, and all would be as late.
 *
 * Units: `now` in milliseconds.
 */
export function createTurnScheduler(now: () => number = () => performance.now()): TurnScheduler {
  const overload = createOverload({ now });
  const waiting: (() => void)[] = [];
  let [begun, isOverloaded] = [false, false];
  let [ended, taken] = [0, 0];
  let [isHurried, wasHurried] = [false, false];
  const take = (): (() => void) | undefined => {
    taken += 1;
    return isOverloaded && taken % oldestIn !== 0 ? waiting.pop() : waiting.shift();
  };
  const next = (): void => {
    const start = now();
    const time = Math.min(mostTime, Math.max(leastTime, (start - ended) / 2));
    // Anyone who keeps connecting does not keep others from being answered.
    wasHurried = isHurried && !wasHurried;
    const until = wasHurried ? start : start + time;
    isHurried = false;
    let work = take();
    begun = work !== undefined;
    if (begun) setImmediate(next);
    while (work !== undefined) {
      work();
      work = now() < until ? take() : undefined;
    }
    ended = now();
    isOverloaded = overload.note(waiting.length > 0);
  };
  return {
    get isOverloaded() {
      return isOverloaded;
    },
    hurry() {
      isHurried = true;
    },
    begin(work) {
      if (begun) {
        waiting.push(work);
        return;
      }
      begun = true;
      ended = now();
      setImmediate(next);
      work();
    },
  };
}
