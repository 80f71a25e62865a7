/** Counts what happened lately: adds so many, and gives how many there are. */
export type RecentCount = (more: number) => number;

/**
 * A count of which each part is forgotten by and by.
 *
 *     count ← count · exp(−elapsed / memory) + more
 *
 * Units: `memory` and `now` in milliseconds.
 */
export function createRecentCount(memory: number, now: () => number): RecentCount {
  let [count, at] = [0, 0];
  return (more) => {
    const time = now();
    count = count * Math.exp((at - time) / memory) + more;
    at = time;
    return count;
  };
}
