import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { type Door, usualLimits } from './door.ts';
import type { DoorTask } from './door-process.ts';
import { readReport } from './report.ts';

/** How an input failed. */
export interface CampaignFailure {
  readonly index: number;
  readonly kind: 'error' | 'hang' | 'crash' | 'memory';
  readonly detail: string;
}

/** What became of the inputs of a door. */
export interface DoorResult {
  readonly door: string;
  readonly tried: number;
  readonly taken: number;
  readonly refused: number;
  readonly failures: readonly CampaignFailure[];
  /** Of inputs, the slowest, in milliseconds; and the most memory of a process in MiB. */
  readonly slowest: number;
  readonly mebibytes: number;
  readonly seconds: number;
}

/** How a door is tried. */
export interface RunDoorOptions {
  readonly seed: number;
  /** Ends after that time, or that many inputs. */
  readonly seconds: number;
  readonly inputs?: number;
  /** The index of the first input. Default 0. */
  readonly from?: number;
  /** The program that calls `runDoorProcess` with the task in its last argument. */
  readonly program: readonly string[];
  readonly replay?: string;
  readonly onFailure?: (failure: CampaignFailure) => Promise<void>;
}

/** In memory where the system has such a place: hundreds of thousands of small files are written. */
const scratch = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** A door that fails again and again tells nothing new. */
const mostFailures = 20;
/** A process may take so long before its first input, or three times as long as for one; and so much memory beside its heap. */
const [startSeconds, otherMebibytes] = [180, 256] as const;

/** Sends inputs through a door, in processes that are killed where they hang; gives what became of them. */
export async function runDoor(door: Door, options: RunDoorOptions): Promise<DoorResult> {
  const { seed, inputs = Number.POSITIVE_INFINITY, program, replay } = options;
  const limits = { ...usualLimits, ...door };
  const began = performance.now();
  const deadline = began + options.seconds * 1000;
  const root = await mkdtemp(join(scratch, 'fuzzqe-campaign-'));
  const first = options.from ?? 0;
  const counts = { taken: 0, refused: 0, failed: 0 };
  const failures: CampaignFailure[] = [];
  let [index, slowest, mebibytes] = [first, 0, 0];
  const fail = async (kind: CampaignFailure['kind'], detail: string): Promise<void> => {
    const failure = { index, kind, detail };
    failures.push(failure);
    counts.failed++;
    index++;
    await options.onFailure?.(failure);
  };

  /** One process; ends when it fails, or when enough was tried. */
  const runProcess = async (): Promise<void> => {
    const folder = join(root, String(index));
    const task: DoorTask = { door: door.name, seed, from: index, folder, ...(replay ? { replay } : {}) };
    const [command = process.execPath, ...args] = program;
    const child = spawn(
      command,
      [`--max-old-space-size=${limits.mebibytes - otherMebibytes}`, ...args, JSON.stringify(task)],
      { stdio: ['ignore', 'ignore', 'pipe', 'pipe'], env: { ...process.env, NODE_OPTIONS: '' } },
    );
    let [hangs, stopped, over, isInside, errors] = [false, false, false, false, ''];
    child.stderr?.on('data', (chunk: Buffer) => {
      errors = `${errors}${chunk.toString()}`.slice(-4000);
    });
    const kill = (): void => void child.kill('SIGKILL');
    const watch = (seconds: number): NodeJS.Timeout =>
      setTimeout(() => {
        hangs = true;
        kill();
      }, seconds * 1000);
    let timer = watch(Math.max(startSeconds, 3 * limits.seconds));
    let failed: string | undefined;
    const lines = createInterface({ input: child.stdio[3] as Readable });
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
    for await (const line of lines) {
      const report = readReport(line);
      if (report === undefined || stopped) continue;
      clearTimeout(timer);
      if ('began' in report) {
        [index, isInside] = [report.began, true];
        timer = watch(limits.seconds);
        continue;
      }
      isInside = false;
      timer = watch(startSeconds);
      slowest = Math.max(slowest, report.milliseconds);
      mebibytes = Math.max(mebibytes, report.mebibytes);
      over = report.mebibytes > limits.mebibytes;
      if (report.outcome === 'failed') failed = report.detail;
      else if (!over) counts[report.outcome]++;
      if (failed !== undefined || over) break;
      index = report.ended + 1;
      stopped = performance.now() > deadline || index - first >= inputs || replay !== undefined;
      if (stopped) kill();
    }
    if (failed !== undefined || over) kill();
    await ended;
    clearTimeout(timer);
    await rm(folder, { recursive: true, force: true });
    if (over) await fail('memory', `${Math.round(mebibytes)} MiB, more than ${limits.mebibytes}`);
    else if (failed !== undefined) await fail('error', failed);
    else if (hangs) await fail('hang', isInside ? `more than ${limits.seconds} s` : 'before an input');
    else if (!stopped)
      await fail('crash', errors.trim() || `signal ${child.signalCode}, code ${child.exitCode}`);
  };

  try {
    do await runProcess();
    while (
      performance.now() < deadline &&
      index - first < inputs &&
      failures.length < mostFailures &&
      replay === undefined
    );
  } finally {
    await rm(root, { recursive: true, force: true });
  }
  const tried = counts.taken + counts.refused + counts.failed;
  const seconds = (performance.now() - began) / 1000;
  const { taken, refused } = counts;
  return { door: door.name, tried, taken, refused, failures, slowest, mebibytes, seconds };
}
