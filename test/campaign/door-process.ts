import { writeSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Door, usualLimits } from './door.ts';
import { inputOf } from './input-of.ts';
import { openJournal } from './journal.ts';
import { judge, verdictOn } from './judge.ts';
import type { Report } from './report.ts';

/** What a process of a door is told by its arguments. */
export interface DoorTask {
  readonly door: string;
  readonly seed: number;
  /** The index of the first input. */
  readonly from: number;
  /** It ends after so many inputs, or as soon as they were so many units; null where there is no end. */
  readonly inputs: number | null;
  readonly units: number | null;
  /** Whether inputs are sent one by one, also where the door takes several at once. */
  readonly alone: boolean;
  /** A folder of its own, which is not there yet; the journal lies in it. */
  readonly folder: string;
  /** A kept input to send through instead. */
  readonly replay?: string;
}

/** The journal of a process, in its folder. */
export const journalName = 'journal';

/** Where reports go: beside standard output and standard error, which are the product's. */
const reports = 3;

/** How often its memory is looked at, in milliseconds. */
const lookEvery = 20;

const ownMemory = (): number => process.resourceUsage().maxRSS / 1024;

/**
 * The whole of a process that sends inputs through a door, until one has failed, all were sent, or standard input ended, by which
 * whoever started it says that it is enough (or is gone).
 */
export async function runDoorProcess(doors: readonly Door[], task: DoorTask): Promise<void> {
  const { seed, from, folder, replay } = task;
  const door = doors.find(({ name }) => name === task.door);
  if (door === undefined) throw new Error(`no door ${task.door}`);
  await mkdir(folder, { recursive: true });
  const limit = door.mebibytes ?? usualLimits.mebibytes;
  const parallel = task.alone ? 1 : (door.parallel ?? 1);
  let [next, units, isOver, looked] = [from, 0, false, 0];
  const end = from + (task.inputs ?? Number.POSITIVE_INFINITY);
  const most = task.units ?? Number.POSITIVE_INFINITY;
  const say = (report: Report): void => void writeSync(reports, `${JSON.stringify(report)}\n`);
  const outside = (error: unknown): void => {
    const { detail } = verdictOn(error, []);
    say({ failed: null, kind: 'error', detail: `outside of any call: ${detail}` });
    process.exit(1);
  };
  process.on('uncaughtException', outside);
  process.on('unhandledRejection', outside);
  process.stdin.resume().once('end', () => {
    isOver = true;
  });

  const place = join(folder, 'door');
  await mkdir(place);
  const open = await door.open(place);
  const journal = openJournal(join(folder, journalName), parallel, from);
  const fail = (index: number, kind: Report['kind'], detail: string): void => {
    isOver = true;
    say({ failed: index, kind, detail });
  };

  /** Sends one input after the other, beside others that do the same. */
  const send = async (at: number): Promise<void> => {
    // One input at least: a door that was opened and never tried says nothing.
    while ((next === from || !isOver) && next < end && units < most) {
      const index = next++;
      // Written before anything is done, so that whoever kills this process knows what it was at.
      journal.began(at, index);
      const input = replay === undefined ? inputOf(door, seed, index) : await readFile(replay);
      const start = performance.now();
      let { outcome, detail, units: counted } = await judge(open, input, door.refusals, at);
      // What was left undone shows itself now, while the input is still the one to blame.
      await new Promise((resolve) => setImmediate(resolve));
      const now = performance.now();
      if (outcome === 'failed') fail(index, 'error', detail);
      if (now - looked > lookEvery || outcome === 'failed') {
        looked = now;
        const mebibytes = Math.max(ownMemory(), open.mebibytes?.() ?? 0);
        journal.remember(mebibytes);
        if (mebibytes > limit && outcome !== 'failed') {
          outcome = 'failed';
          fail(index, 'memory', `${Math.round(mebibytes)} MiB, more than ${limit}`);
        }
      }
      if (outcome === 'failed') counted = 0;
      units += counted;
      journal.ended(at, outcome, counted, Math.max(0, now - start));
      if (replay !== undefined) break;
    }
  };
  await Promise.all(Array.from({ length: parallel }, (_, at) => send(at)));
  journal.close();
  await open.close?.();
  process.exit(0);
}
