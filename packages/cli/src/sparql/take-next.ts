/** What waits for its turn. */
export interface Waiting {
  /** Whether somebody still wants it. */
  isOpen: boolean;
}

/** Adds what waits, behind the others of its caller. */
export function addLast<Job extends Waiting>(line: Map<unknown, Job[]>, caller: unknown, job: Job): void {
  line.set(caller, [...(line.get(caller) ?? []), job]);
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
