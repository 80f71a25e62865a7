import { FuzzError, messageOf } from './errors.ts';

/** What runtimes and systems say where there is no memory or file handle left, or where a device went away. */
const passingWords =
  /bad.?alloc|alloc\w*[ _]failed|to allocate|not allocate|out of memory|\(OOM|maximum memory size|smaller than requested bytes|device\b.*\blost|\bE(NOMEM|[MN]FILE|AGAIN)\b/i;

/** Whether what was thrown passes by itself: a FuzzError knows, of anything else its words say so. */
export function isPassing(thrown: unknown): boolean {
  return thrown instanceof FuzzError ? thrown.passing : passingWords.test(messageOf(thrown));
}
