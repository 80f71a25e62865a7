import { writeSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import type { Door } from './door.ts';
import { inputOf } from './input-of.ts';
import { judge, verdictOn } from './judge.ts';
import type { Report } from './report.ts';

/** What a process of a door is told by its arguments. */
export interface DoorTask {
  readonly door: string;
  readonly seed: number;
  /** The index of the first input. */
  readonly from: number;
  /** A folder of its own, which is not there yet. */
  readonly folder: string;
  /** A kept input to send through instead. */
  readonly replay?: string;
}

/** Where reports go: beside standard output and standard error, which are the product's. */
const reports = 3;

/** The whole of a process that sends inputs through a door, until it is killed or one has failed. */
export async function runDoorProcess(doors: readonly Door[], task: DoorTask): Promise<void> {
  const { seed, from, folder, replay } = task;
  const door = doors.find(({ name }) => name === task.door);
  if (door === undefined) throw new Error(`no door ${task.door}`);
  await mkdir(folder, { recursive: true });
  let [index, start] = [from, 0];
  const say = (report: Report): void => {
    writeSync(reports, `${JSON.stringify(report)}\n`);
  };
  const end = (verdict: ReturnType<typeof verdictOn>): void =>
    say({
      ended: index,
      ...verdict,
      milliseconds: Math.max(0, performance.now() - start),
      mebibytes: process.resourceUsage().maxRSS / 1024,
    });
  const outside = (error: unknown): void => {
    const { detail } = verdictOn(error, []);
    end({ outcome: 'failed', detail: `outside of any call: ${detail}` });
    process.exit(1);
  };
  process.on('uncaughtException', outside);
  process.on('unhandledRejection', outside);

  const open = await door.open(folder);
  for (; ; index++) {
    // Synchronous, so that whoever kills this process knows what it was at.
    say({ began: index });
    const input = replay === undefined ? inputOf(door, seed, index) : await readFile(replay);
    start = performance.now();
    const verdict = await judge(open, input, door.refusals);
    // What was left undone shows itself now, while the input is still the one to blame.
    await new Promise((resolve) => setImmediate(resolve));
    end(verdict);
    if (verdict.outcome === 'failed' || replay !== undefined) break;
  }
  await open.close?.();
  process.exit(0);
}
