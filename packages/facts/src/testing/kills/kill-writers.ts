import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { Random } from '@fuzzqe/core';
import { openFactLog } from '../../log/open-fact-log.ts';
import { sizeOf } from './numbered-batch.ts';

/** What is killed how often. */
export interface KillOptions {
  /** `append-until-killed.ts` as Node runs it. */
  readonly program: string;
  readonly folder: string;
  readonly kills: number;
  /** When, in [0, `longest`) milliseconds after the store is open. */
  readonly random: Random;
  readonly longest: number;
  /** What happens to the folder after a kill: a negative control loses something. */
  readonly tamper?: (folder: string) => Promise<void>;
}

/** What the kills did. */
export interface KillReport {
  readonly kills: number;
  /** Batches in the store at the end. */
  readonly batches: number;
  /** Times when a batch was durable, but its process was killed before it could say so. */
  readonly unsaid: number;
  /** Times when a crash left something to cut off. */
  readonly cuts: number;
  /** What is wrong, a sentence each. */
  readonly problems: readonly string[];
}

/** Kills one process after the other, and compares the log with what the processes said; ends at the first problem. */
export async function killWriters(options: KillOptions): Promise<KillReport> {
  const { program, folder, kills, random, longest, tamper } = options;
  const problems: string[] = [];
  let [batches, unsaid, cuts, killed] = [0, 0, 0, 0];
  for (; killed < kills && problems.length === 0; killed += 1) {
    const said = await killedAfter([program, folder, `${batches + 1}`], random.uniform() * longest);
    await tamper?.(folder);
    try {
      const found = await batchesIn(folder, () => (cuts += 1));
      for (const n of said) if (n > 0 && !found.sizes.has(n)) problems.push(`batch ${n} was lost`);
      for (const [n, size] of found.sizes)
        if (size !== sizeOf(n)) problems.push(`batch ${n} has ${size} facts`);
      // Each batch has an epoch of its own, and the numbers leave none out.
      if (found.epoch !== found.sizes.size || found.epoch < batches)
        problems.push(`epoch ${found.epoch} with ${found.sizes.size} batches after ${batches}`);
      unsaid += Math.max(0, found.sizes.size - Math.max(batches, ...said));
      batches = found.sizes.size;
    } catch (cause) {
      problems.push(String(cause));
    }
  }
  return { kills: killed, batches, unsaid, cuts, problems };
}

/** The epoch of a log, and how many facts each batch has. */
async function batchesIn(
  folder: string,
  log: (line: string) => void,
): Promise<{ readonly epoch: number; readonly sizes: ReadonlyMap<number, number> }> {
  const store = await openFactLog(folder, { log });
  const sizes = new Map<number, number>();
  for await (const { changes } of store.since(0))
    for (const { head } of changes) {
      const n = Number(head.slice('batch '.length));
      sizes.set(n, (sizes.get(n) ?? 0) + 1);
    }
  await store.close();
  return { epoch: store.epoch, sizes };
}

/** Starts a program, kills it after a time, and gives the numbers that it said. */
async function killedAfter(command: readonly string[], milliseconds: number): Promise<readonly number[]> {
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'pipe'] });
  let [output, errors] = ['', ''];
  child.stderr.on('data', (part: Buffer) => {
    errors += part.toString();
  });
  const closed = once(child, 'close');
  const opened = new Promise<void>((resolve) => {
    child.stdout.on('data', (part: Buffer) => {
      output += part.toString();
      resolve();
    });
  });
  await Promise.race([opened, closed]);
  await wait(milliseconds);
  child.kill('SIGKILL');
  const [, signal] = await closed;
  if (signal !== 'SIGKILL') throw new Error(`the process ended by itself: ${errors}`);
  // A last line may be cut off.
  return output.slice(0, output.lastIndexOf('\n')).split('\n').map(Number);
}
