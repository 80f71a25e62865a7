import { availableParallelism, totalmem } from 'node:os';
import { type CgroupLimits, readCgroupLimits } from './cgroup-limits.ts';

/** How many worker threads a server starts, and how many bytes its bundles may take. */
export interface ServerRoom {
  readonly workers: number;
  /** What decided the number of workers. */
  readonly workersBy: 'setting' | 'cores' | 'cpu quota' | 'memory';
  readonly modelBytes: number;
  /** What decided the bytes. */
  readonly modelBytesBy: 'setting' | 'memory' | 'memory limit';
}

/** What the machine has. */
export interface Machine extends CgroupLimits {
  readonly cores: number;
  readonly totalBytes: number;
}

/**
 * Bytes of memory for each worker thread by default.
 *
 * A thread takes 20 to 40 MB before it has opened a graph, and a graph of many entities as much again.
 */
const bytesOfWorker = 2 ** 26;

/**
 * The room of a server: settings, else what the machine and its control group allow.
 *
 * M = min(memory of the machine, memory limit). modelBytes = M / 2. workers = min(cores, ⌈CPU quota⌉, M / 2 / 64 MiB), at least 1.
 */
export function serverRoom(
  given: { readonly workers: number | undefined; readonly modelBytes: number | undefined },
  { cores, cpus, totalBytes, memoryBytes }: Machine,
): ServerRoom {
  const isLimited = memoryBytes !== undefined && memoryBytes < totalBytes;
  const half = Math.floor((isLimited ? memoryBytes : totalBytes) / 2);
  const counts: [number, ServerRoom['workersBy']][] = [
    [cores, 'cores'],
    [Math.ceil(cpus ?? Number.POSITIVE_INFINITY), 'cpu quota'],
    [Math.max(1, Math.floor(half / bytesOfWorker)), 'memory'],
  ];
  const least = counts.reduce((a, b) => (b[0] < a[0] ? b : a));
  const [workers, workersBy] = given.workers === undefined ? least : [given.workers, 'setting' as const];
  return {
    workers,
    workersBy,
    modelBytes: given.modelBytes ?? half,
    modelBytesBy: given.modelBytes !== undefined ? 'setting' : isLimited ? 'memory limit' : 'memory',
  };
}

/** What this machine has, with the limits of this process's control group. */
export async function thisMachine(): Promise<Machine> {
  return {
    cores: availableParallelism(),
    totalBytes: totalmem(),
    ...(await readCgroupLimits()),
  };
}
