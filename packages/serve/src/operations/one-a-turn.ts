/** How long work begins in a turn at least, and at most, in milliseconds. */
const leastTime = 5;
const mostTime = 50;

/**
 * Lets work begin in order, at once where none has begun in this turn of the event loop, and else for a share of the turns
 * that follow: half as long as what else there was to do, such as refusing more than can be taken, 5 ms at least.
 *
 * Whatever comes in meanwhile, a new connection or a health probe, waits for 50 ms of work at most and not for all.
 *
 * Units: `now` in milliseconds.
 */
export function createTurns(now: () => number = () => performance.now()): (work: () => void) => void {
  const waiting: (() => void)[] = [];
  let begun = false;
  let ended = 0;
  const next = (): void => {
    const start = now();
    const until = start + Math.min(mostTime, Math.max(leastTime, (start - ended) / 2));
    let work = waiting.shift();
    begun = work !== undefined;
    if (begun) setImmediate(next);
    while (work !== undefined) {
      work();
      work = now() < until ? waiting.shift() : undefined;
    }
    ended = now();
  };
  return (work) => {
    if (begun) {
      waiting.push(work);
      return;
    }
    begun = true;
    ended = now();
    setImmediate(next);
    work();
  };
}
