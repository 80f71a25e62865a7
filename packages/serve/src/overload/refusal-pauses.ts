/** Connections that are left alone for a while after a refusal. */
export interface RefusalPauses {
  /**
   * Begins a rest, at whose end `end` is called; false where there is none. `late`: it was refused for what it waited in a rest, which
   * once the overload is over is the last time.
   */
  begin(late: boolean, end: () => void): boolean;
}

/** Milliseconds of a rest: less than the second that clients are told to stay away for at least. */
const [shortest, longest] = [50, 250];

/** RefusalPauses of equal length are one timer for Node. */
const step = 25;

/** Milliseconds after the last refusal for want of room in which an overload goes on. */
const memory = 1000;

/**
 * RefusalPauses for connections whose requests were refused in an overload.
 *
 * Clients that ask again at once, whatever they are told, take nearly as much of the main thread for each refusal as others do for an answer. So
 * what they send waits unread for 50 ms, and for longer where they are many, so that two a millisecond are refused; for 250 ms at most.
 */
export function createRefusalPauses(now: () => number = () => performance.now()): RefusalPauses {
  let resting = 0;
  let last = Number.NEGATIVE_INFINITY;
  return {
    begin(late, end) {
      if (!late) last = now();
      if (now() - last > memory) return false;
      resting += 1;
      const length = step * Math.ceil(Math.min(longest, Math.max(shortest, resting / 2)) / step);
      const timer = setTimeout(() => {
        resting -= 1;
        end();
      }, length);
      timer.unref();
      return true;
    },
  };
}
