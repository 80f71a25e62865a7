import { readdirSync, readFileSync } from 'node:fs';

/** The processes that this one started and that run a program of that name; on Linux. */
export function childrenNamed(program: RegExp): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const [, name, , parent] =
          /^\d+ \((.*)\) (\S) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
        return program.test(name ?? '') && Number(parent) === process.pid;
      } catch {
        return false;
      }
    });
}
