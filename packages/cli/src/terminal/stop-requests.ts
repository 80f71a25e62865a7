/** Milliseconds within which a further signal is the same request. */
const sameRequest = 200;

/**
 * Counts how often somebody asked to stop, by signals as they come.
 *
 * One request can come as two signals at once: `timeout` sends its own to the process and to the process group, in which it is as
 * well. Taken for two requests, what was to stop safely would be cut off.
 */
export function countStopRequests(now: () => number = () => performance.now()): () => number {
  let count = 0;
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    const time = now();
    if (time - last < sameRequest) return count;
    last = time;
    count += 1;
    return count;
  };
}
