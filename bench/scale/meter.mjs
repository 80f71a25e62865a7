// Loaded into a process with --import: when it ends, its peak resident set and its processor time go to $FUZZQE_METER.
import { readFileSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

if (isMainThread && process.env.FUZZQE_METER !== undefined)
  process.on('exit', () => {
    const status = readFileSync('/proc/self/status', 'utf8');
    const { user, system } = process.cpuUsage();
    const peakKiB = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0);
    writeFileSync(process.env.FUZZQE_METER, JSON.stringify({ peakKiB, cpu: (user + system) / 1e6 }));
  });
