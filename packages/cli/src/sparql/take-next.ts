/** What waits for its turn. */
export interface Waiting {
  /** Whether somebody still wants it. */
  isOpen: boolean;
}

/** Takes the next that somebody wants, of the first caller, who then is the last. */
export function takeNext<Job extends Waiting>(line: Map<unknown, Job[]>): Job | undefined {
  for (const [caller, jobs] of line) {
    const open = jobs.filter((job) => job.isOpen);
    const next = open.shift();
    line.delete(caller);
    if (open.length > 0) line.set(caller, open);
    if (next !== undefined) return next;
  }
  return undefined;
}
