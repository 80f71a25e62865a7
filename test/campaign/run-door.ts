import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { makeMemoryFolder } from '../fixtures/memory-folder.ts';
import { type Door, usualLimits } from './door.ts';
import { type DoorTask, journalName } from './door-process.ts';
import { type Progress, readJournal } from './journal.ts';
import { type Report, readReport } from './report.ts';

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
  /** What the inputs stand for, in the unit of the door's volume. */
  readonly units: number;
  /** Of inputs, the slowest, in milliseconds; and the most memory of a process in MiB. */
  readonly slowest: number;
  readonly mebibytes: number;
  readonly seconds: number;
}

/** How a door is tried. */
export interface RunDoorOptions {
  readonly seed: number;
  /** Ends after that time, that many inputs, or that many units. */
  readonly seconds: number;
  readonly inputs?: number;
  readonly units?: number;
  /** The index of the first input. Default 0. */
  readonly from?: number;
  /** The program that calls `runDoorProcess` with the task in its last argument. */
  readonly program: readonly string[];
  readonly replay?: string;
  /** Ends it early. */
  readonly signal?: AbortSignal;
  readonly onFailure?: (failure: CampaignFailure) => Promise<void>;
  /** Hears of what was tried so far, again and again. */
  readonly onProgress?: (result: DoorResult) => void;
}

/** A door that fails again and again tells nothing new. */
export const mostFailures = 20;
/** A process may take so long before its first input and after its last, or three times as long as for one; and so much memory beside its heap. */
const [startSeconds, otherMebibytes] = [180, 256] as const;
/** How often a process is looked at, in milliseconds. */
const lookEvery = 100;

type Counts = Pick<Progress, 'taken' | 'refused' | 'units' | 'slowest' | 'mebibytes'>;
const none: Counts = { taken: 0, refused: 0, units: 0, slowest: 0, mebibytes: 0 };
const sum = (a: Counts, b: Counts): Counts => ({
  taken: a.taken + b.taken,
  refused: a.refused + b.refused,
  units: a.units + b.units,
  slowest: Math.max(a.slowest, b.slowest),
  mebibytes: Math.max(a.mebibytes, b.mebibytes),
});

/** How one process ended. */
interface ProcessEnd {
  readonly progress: Progress;
  readonly reports: readonly Report[];
  /** Why it was killed or ended by itself, where inputs that had begun are the cause. */
  readonly broken?: Pick<CampaignFailure, 'kind' | 'detail'>;
}

/** Sends inputs through a door, in processes that are killed where they hang; gives what became of them. */
export async function runDoor(door: Door, options: RunDoorOptions): Promise<DoorResult> {
  const { seed, inputs = Number.POSITIVE_INFINITY, units = Number.POSITIVE_INFINITY, replay } = options;
  const limits = { ...usualLimits, ...door };
  const began = performance.now();
  const deadline = began + options.seconds * 1000;
  // Hundreds of thousands of small files are written.
  const root = makeMemoryFolder('fuzzqe-campaign') ?? (await mkdtemp(join(tmpdir(), 'fuzzqe-campaign-')));
  const first = options.from ?? 0;
  const failures: CampaignFailure[] = [];
  let [next, counts, processes] = [first, none, 0];
  const isEnough = (): boolean => options.signal?.aborted === true || performance.now() > deadline;
  const result = (now: Counts = counts): DoorResult => ({
    door: door.name,
    tried: now.taken + now.refused + failures.length,
    ...now,
    failures: [...failures],
    seconds: (performance.now() - began) / 1000,
  });

  /** One process; ends when an input fails, or when enough was tried. */
  const runProcess = async (
    task: Pick<DoorTask, 'from' | 'inputs' | 'units' | 'alone'>,
  ): Promise<ProcessEnd> => {
    const folder = join(root, String(processes++), String(task.from));
    const whole: DoorTask = { door: door.name, seed, ...task, folder, ...(replay ? { replay } : {}) };
    const [command = process.execPath, ...args] = options.program;
    const child = spawn(
      command,
      [`--max-old-space-size=${limits.mebibytes - otherMebibytes}`, ...args, JSON.stringify(whole)],
      // A group of its own, so that processes of the door end with it.
      {
        stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
        // What the product keeps for a while lies in the same place, and goes with it.
        env: { ...process.env, NODE_OPTIONS: '', TMPDIR: root },
        detached: true,
      },
    );
    const kill = (): void => {
      try {
        process.kill(-child.pid!, 'SIGKILL');
      } catch {
        // It is gone.
      }
    };
    let [errors, hang, isStopped]: [string, string | undefined, boolean] = ['', undefined, false];
    child.stderr?.on('data', (chunk: Buffer) => {
      errors = `${errors}${chunk.toString()}`.slice(-4000);
    });
    child.stdin?.on('error', () => {});
    const journal = join(folder, journalName);
    /** When an input was first seen to be inside; and when anything was last seen to change. */
    let [since, changed, before] = [new Map<number, number>(), performance.now(), ''];
    const look = (): void => {
      const now = performance.now();
      const progress = readJournal(journal);
      const text = JSON.stringify(progress);
      if (text !== before) [changed, before] = [now, text];
      const inside = progress?.inside ?? [];
      since = new Map(inside.map((index) => [index, since.get(index) ?? now]));
      if (inside.some((index) => now - since.get(index)! > limits.seconds * 1000))
        hang = `more than ${limits.seconds} s`;
      else if (inside.length === 0 && now - changed > 1000 * Math.max(startSeconds, 3 * limits.seconds))
        hang = 'between inputs';
      if (hang !== undefined) kill();
      if (!isStopped && isEnough()) {
        isStopped = true;
        child.stdin?.end();
      }
      if (progress !== undefined) options.onProgress?.(result(sum(counts, progress)));
    };
    // A busy machine may come to the first turn of the timer late.
    look();
    const timer = setInterval(look, lookEvery);
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
    const reports: Report[] = [];
    for await (const line of createInterface({ input: child.stdio[3] as Readable })) {
      const report = readReport(line);
      if (report !== undefined) reports.push(report);
    }
    await ended;
    clearInterval(timer);
    kill();
    const progress = readJournal(journal) ?? { ...none, next: task.from, inside: [] };
    await rm(folder, { recursive: true, force: true });
    const outside = reports.find(({ failed }) => failed === null);
    if (outside !== undefined)
      return { progress, reports, broken: { kind: 'error', detail: outside.detail } };
    if (hang !== undefined) return { progress, reports, broken: { kind: 'hang', detail: hang } };
    if (child.exitCode === 0 && (isStopped || progress.next > task.from)) return { progress, reports };
    const detail = errors.trim() || `signal ${child.signalCode}, code ${child.exitCode}`;
    return { progress, reports, broken: { kind: 'crash', detail } };
  };

  const fail = async (failure: CampaignFailure): Promise<void> => {
    failures.push(failure);
    await options.onFailure?.(failure);
  };

  /** Runs a process and keeps what came of it; gives what broke it, with the inputs that had begun then. */
  const run = async (
    task: Parameters<typeof runProcess>[0],
  ): Promise<(CampaignFailure & { readonly inside: readonly number[] }) | undefined> => {
    const { progress, reports, broken } = await runProcess(task);
    counts = sum(counts, progress);
    next = Math.max(next, progress.next);
    for (const { failed, kind, detail } of reports)
      if (failed !== null) await fail({ index: failed, kind, detail });
    if (broken === undefined) return undefined;
    // Outside of any input, that which had ended last is the nearest, or the first where it never came to one.
    const { inside } = progress;
    return { ...broken, index: inside[0] ?? Math.max(task.from, progress.next - 1), inside };
  };

  try {
    do {
      const broken = await run({
        from: next,
        inputs: Number.isFinite(inputs) ? inputs - (next - first) : null,
        units: Number.isFinite(units) ? units - counts.units : null,
        alone: replay !== undefined,
      });
      if (broken === undefined) continue;
      const { inside, index, kind, detail } = broken;
      if (inside.length <= 1) {
        // It counts as tried, also where none had begun.
        next = Math.max(next, index + 1);
        await fail({ index, kind, detail });
        continue;
      }
      // One of several that were sent at once: each again by itself.
      const found = failures.length;
      for (const each of inside) {
        const alone = await run({ from: each, inputs: 1, units: null, alone: true });
        if (alone !== undefined) await fail({ index: each, kind: alone.kind, detail: alone.detail });
      }
      if (failures.length === found)
        await fail({ index, kind, detail: `only with ${inside.join(', ')} at once: ${detail}` });
    } while (
      !isEnough() &&
      next - first < inputs &&
      counts.units < units &&
      failures.length < mostFailures &&
      replay === undefined
    );
  } finally {
    await rm(root, { recursive: true, force: true });
  }
  return result();
}
