import { readFile } from 'node:fs/promises';
import { uptime } from 'node:os';

/** Milliseconds by which clocks and the times that systems tell of processes may differ. */
const tolerance = 5000;

/**
 * Whether the process of this machine that had a number at a time is running still.
 *
 * Numbers are used again, after a restart of the machine and in containers above all: a process that began later is another one.
 */
export async function isRunning(pid: number, at: number): Promise<boolean> {
  if (at < Date.now() - uptime() * 1000 - tolerance) return false;
  try {
    process.kill(pid, 0);
  } catch (cause) {
    // EPERM: it runs, and belongs to somebody else.
    return (cause as NodeJS.ErrnoException).code === 'EPERM';
  }
  const found = await statOf(pid);
  return found === undefined || (!found.hasEnded && found.begun < at + tolerance);
}

/** What the system tells of a process, where it does (Linux: proc(5), fields 3 and 22 of stat); times since 1970. */
async function statOf(
  pid: number,
): Promise<{ readonly hasEnded: boolean; readonly begun: number } | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The name stands in brackets and may hold anything.
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ') ?? [];
  const ticks = Number(fields[19] ?? Number.NaN);
  if (!Number.isFinite(ticks)) return undefined;
  const ticksPerSecond = 100;
  return {
    // It has ended, and nobody has asked how.
    hasEnded: fields[0] === 'Z' || fields[0] === 'X',
    begun: Date.now() - (uptime() - ticks / ticksPerSecond) * 1000,
  };
}
