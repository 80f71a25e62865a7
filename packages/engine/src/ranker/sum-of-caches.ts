import type { CacheCounters } from './counters.ts';

/** The counts of several caches together. */
export function sumOfCaches(caches: readonly (CacheCounters | undefined)[]): CacheCounters {
  let [hits, misses] = [0, 0];
  for (const cache of caches) {
    hits += cache?.hits ?? 0;
    misses += cache?.misses ?? 0;
  }
  return { hits, misses };
}
