import { availableParallelism } from 'node:os';
import type { Settings } from '../settings/settings-table.ts';

/**
 * The settings of each of several processes that serve on one port, to which connections come in turns.
 *
 *     limit of each = ⌈limit / processes⌉
 *
 * What holds for the server as a whole is shared out: connections, requests under way, queries that wait, memory of the cache, and
 * cores. What holds for one caller, one request or a length of time is the same in each.
 */
export function shareOfProcess(settings: Settings, cores: number = availableParallelism()): Settings {
  const { processes, workers, maxConnections, maxInFlight, waitingLimit, cacheBytes } = settings;
  if (processes === 1) return settings;
  const share = (all: number): number => Math.ceil(all / processes);
  return {
    ...settings,
    // Two at least: of one alone, a heavy query holds up all others of its process.
    workers: workers ?? Math.max(2, Math.floor(cores / processes)),
    maxConnections: share(maxConnections),
    maxInFlight: share(maxInFlight),
    waitingLimit: share(waitingLimit),
    cacheBytes: Math.floor(cacheBytes / processes),
  };
}
