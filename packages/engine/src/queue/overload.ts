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

/**
 * An overload begins when too much has waited all the time for as long as `grace`, so that a burst is taken whole, and ends when for
 * as long nothing was too much.
 *
 * Source: the standing queue of CoDel, K. Nichols and V. Jacobson, "Controlling queue delay", 2012.
 */
export function createOverload({
  grace = 1000,
  now = () => performance.now(),
}: OverloadOptions = {}): Overload {
  let since: number | undefined;
  let last = 0;
  let isOverloaded = false;
  return {
    note(tooMuch) {
      const at = now();
      if (tooMuch) {
        since ??= at;
        last = at;
        if (at - since >= grace) isOverloaded = true;
      } else if (!isOverloaded) since = undefined;
      else if (at - last >= grace) {
        isOverloaded = false;
        since = undefined;
      }
      return isOverloaded;
    },
    get isOn() {
      return isOverloaded;
    },
  };
}
