import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readCgroupLimits } from './cgroup-limits.ts';

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'fuzzqe-cgroup-'));
});
afterEach(() => rm(root, { recursive: true }));

/** A machine whose kernel shows these files. */
async function shows(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), `${text}\n`);
  }
}

describe('the limits of a control group', () => {
  it('are read of version 2, in a container that sees its own group as the root', async () => {
    await shows({
      'proc/self/cgroup': '0::/',
      'sys/fs/cgroup/cpu.max': '150000 100000',
      'sys/fs/cgroup/memory.max': '536870912',
    });
    expect(await readCgroupLimits(root)).toEqual({ cpus: 1.5, memoryBytes: 2 ** 29 });
  });

  it('are the least of a group and the groups around it', async () => {
    await shows({
      'proc/self/cgroup': '0::/kubepods/pod1/fuzzqe',
      'sys/fs/cgroup/kubepods/cpu.max': 'max 100000',
      'sys/fs/cgroup/kubepods/memory.max': '8589934592',
      'sys/fs/cgroup/kubepods/pod1/cpu.max': '200000 100000',
      'sys/fs/cgroup/kubepods/pod1/memory.max': '1073741824',
      'sys/fs/cgroup/kubepods/pod1/fuzzqe/cpu.max': '400000 100000',
      'sys/fs/cgroup/kubepods/pod1/fuzzqe/memory.max': 'max',
    });
    expect(await readCgroupLimits(root)).toEqual({ cpus: 2, memoryBytes: 2 ** 30 });
  });

  it('are read of version 1, whose container sees its own group at the root under a path of the host', async () => {
    await shows({
      'proc/self/cgroup': '5:cpu,cpuacct:/docker/0f1e\n4:memory:/docker/0f1e\n3:pids:/docker/0f1e',
      'sys/fs/cgroup/cpu/cpu.cfs_quota_us': '50000',
      'sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000',
      'sys/fs/cgroup/memory/memory.limit_in_bytes': '268435456',
    });
    expect(await readCgroupLimits(root)).toEqual({ cpus: 0.5, memoryBytes: 2 ** 28 });
  });

  it.each([
    ['of version 2 without a limit', '0::/', { 'cpu.max': 'max 100000', 'memory.max': 'max' }],
    [
      'of version 1 without a limit',
      '2:cpu:/\n1:memory:/',
      {
        'cpu/cpu.cfs_quota_us': '-1',
        'cpu/cpu.cfs_period_us': '100000',
        'memory/memory.limit_in_bytes': '9223372036854771712',
      },
    ],
    ['whose files say nothing', '0::/', { 'cpu.max': '', 'memory.max': 'nonsense' }],
  ])('are none in a group %s', async (_, group, files) => {
    await shows({ 'proc/self/cgroup': group });
    await shows(
      Object.fromEntries(Object.entries(files).map(([name, text]) => [`sys/fs/cgroup/${name}`, text])),
    );
    expect(await readCgroupLimits(root)).toEqual({ cpus: undefined, memoryBytes: undefined });
  });

  it('are none on a system without control groups', async () => {
    expect(await readCgroupLimits(root)).toEqual({ cpus: undefined, memoryBytes: undefined });
  });
});
