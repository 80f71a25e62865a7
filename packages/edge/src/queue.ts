/** Runs work after all work that was given before, whether that succeeded or not. */
export type Queue = <T>(work: () => Promise<T>) => Promise<T>;

/** One thing at a time, in the order given. */
export function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work, work);
    last = next;
    return next;
  };
}
