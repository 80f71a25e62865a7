import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';

/** What a container, a service of systemd or a pod may use, as the kernel holds it to. */
export interface CgroupLimits {
  /** Cores: the quota of processor time over its period. Undefined: no quota. */
  readonly cpus: number | undefined;
  /** Bytes of memory. Undefined: no limit. */
  readonly memoryBytes: number | undefined;
}

/**
 * Reads the limits of this process's control group and of the groups around it; the least counts.
 *
 * cpus = quota / period. Version 2 has them in `cpu.max` and `memory.max`, version 1 in `cpu.cfs_quota_us`, `cpu.cfs_period_us` and
 * `memory.limit_in_bytes`. A system without control groups, or without files that can be read, has no limits.
 *
 * @param root the folder that `proc` and `sys` are in. Default `/`.
 */
export async function readCgroupLimits(root = '/'): Promise<CgroupLimits> {
  const lines = (await textOf(join(root, 'proc/self/cgroup')))?.trim().split('\n') ?? [];
  const cpus: number[] = [];
  const bytes: number[] = [];
  for (const line of lines) {
    // `0::/path` of version 2, `4:cpu,cpuacct:/path` of version 1.
    const [, controllers = '', path = '/'] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    const named = controllers.split(',');
    for (const group of groupsAround(path)) {
      const at = (...names: string[]) => textOf(join(root, 'sys/fs/cgroup', ...names));
      if (controllers === '') {
        const [quota, period] = ((await at(group, 'cpu.max')) ?? '').trim().split(' ');
        add(cpus, numberOf(quota) / numberOf(period));
        add(bytes, numberOf(await at(group, 'memory.max')));
      }
      if (named.includes('cpu')) {
        // The folder of a hierarchy has the names of all of its controllers, or a link for each.
        const quota = await at('cpu', group, 'cpu.cfs_quota_us');
        add(cpus, numberOf(quota) / numberOf(await at('cpu', group, 'cpu.cfs_period_us')));
      }
      if (named.includes('memory')) {
        const limit = numberOf(await at('memory', group, 'memory.limit_in_bytes'));
        // No limit is the largest number of pages.
        if (limit < 2 ** 60) add(bytes, limit);
      }
    }
  }
  return { cpus: leastOf(cpus), memoryBytes: leastOf(bytes) };
}

/** A group and those around it: a container may see its own group as the root, under a path of the host. */
function groupsAround(path: string): string[] {
  const groups = ['/'];
  for (let group = posix.normalize(path); group !== '/' && group !== '.'; group = posix.dirname(group))
    groups.push(group);
  return groups;
}

function add(values: number[], value: number): void {
  if (Number.isFinite(value) && value > 0) values.push(value);
}

function leastOf(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : Math.min(...values);
}

/** A number, or none: `max` is no limit, and so is -1. */
function numberOf(text: string | undefined): number {
  return text === undefined || text.trim() === '' ? Number.NaN : Number(text);
}

async function textOf(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined);
}
