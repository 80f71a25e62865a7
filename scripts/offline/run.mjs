import { spawnSync } from 'node:child_process';

/** Runs a program and returns what it prints. Throws, with one line, where it is absent or fails. */
export function run(program, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    ...options,
  });
  if (error?.code === 'ENOENT') throw new Error(`${program} is needed and not installed`);
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: exit ${status}: ${stderr?.trim() ?? ''}`);
  return stdout;
}
