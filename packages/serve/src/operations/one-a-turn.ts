/**
 * Lets work begin one piece a turn of the event loop, in order, and at once where none has begun in this turn.
 *
 * Whatever comes in meanwhile, a new connection or a health probe, waits for one piece and not for all.
 */
export function createTurns(): (work: () => void) => void {
  const waiting: (() => void)[] = [];
  let begun = false;
  const next = (): void => {
    const work = waiting.shift();
    begun = work !== undefined;
    if (work === undefined) return;
    setImmediate(next);
    work();
  };
  return (work) => {
    if (begun) {
      waiting.push(work);
      return;
    }
    begun = true;
    setImmediate(next);
    work();
  };
}
