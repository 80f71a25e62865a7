/** Tells an overload from a burst. */
export interface Overload {
  /** Whether there is one, now that more is waiting than should, or is not. */
  note(tooMuch: boolean): boolean;
  /** Whether there was one at the last note. */
  readonly isOn: boolean;
}

/** How an overload begins and ends. */
export interface OverloadOptions {
  /** For how long too much has to wait, and then no longer, in milliseconds. Default 1000. */
  readonly grace?: number;
  /** Milliseconds of any clock that only goes forwards. */
  readonly now?: () => number;
}

/** An overload that comes back in so many times the grace goes on. */
const soon = 10;

/** It then begins after a part of the grace, and lasts twice as long each time, up to so many times the grace. */
const laterPart = 0.1;
const mostGraces = 16;

/**
 * An overload begins when too much has waited all the time for as long as `grace`, so that a burst is taken whole, and ends when for
 * as long nothing was too much.
 *
 * Anyone who is refused leaves room for the others, so that what is refused may be all that was too much. An overload that comes back soon
 * after its end therefore begins after a tenth of that time, and ends after twice the time for which it was calm before: up to 16 times.
 *
 * Source: the standing queue of CoDel and how it goes on where it left off, K. Nichols and V. Jacobson, "Controlling queue delay", 2012.
 */
export function createOverload({
  grace = 1000,
  now = () => performance.now(),
}: OverloadOptions = {}): Overload {
  let since: number | undefined;
  let last = 0;
  let isOverloaded = false;
  let ended = Number.NEGATIVE_INFINITY;
  let calm = grace;
  return {
    note(tooMuch) {
      const at = now();
      const comesBack = at - ended < soon * grace;
      if (tooMuch) {
        since ??= at;
        last = at;
        if (!isOverloaded && at - since >= (comesBack ? laterPart * grace : grace)) {
          isOverloaded = true;
          calm = comesBack ? Math.min(2 * calm, mostGraces * grace) : grace;
        }
      } else if (!isOverloaded) since = undefined;
      else if (at - last >= calm) {
        isOverloaded = false;
        since = undefined;
        ended = at;
      }
      return isOverloaded;
    },
    get isOn() {
      return isOverloaded;
    },
  };
}
