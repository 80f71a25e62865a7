import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The command, bundled beside the campaign. */
export const commandFile: string = join(dirname(process.argv[1]!), 'command.mjs');

/** How a process ended, and what it said on standard error. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly errors: string;
}

/** Runs a program; `onStart` gets the process, to kill it or to talk to it. */
export function runProcess(
  command: string,
  args: readonly string[],
  onStart?: (child: ChildProcess) => void,
): Promise<ProcessEnd> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => {
      errors += chunk.toString();
    });
    child.on('close', (code) => resolve({ code, errors }));
    onStart?.(child);
  });
}

/** Runs the command. */
export function runCommand(
  args: readonly string[],
  onStart?: (child: ChildProcess) => void,
): Promise<ProcessEnd> {
  return runProcess(process.execPath, [commandFile, ...args], onStart);
}

/** Runs the command, which has to succeed. */
export async function expectCommand(...args: readonly string[]): Promise<void> {
  const { code, errors } = await runCommand(args);
  assert.equal(code, 0, `${args.join(' ')}\n${errors}`);
}

const facts = Array.from(
  { length: 240 },
  (_, i) => `e${i % 40}\tr${i % 3}\te${(i * 7 + (i % 5)) % 40}\n`,
).join('');
const config = {
  model: { dimension: 8, bases: 2 },
  steps: 12,
  batch: { '1p': 8 },
  validation: { every: 3, patience: 100, mode: 'embedding' },
};

/** Where the parts of a small piece of work lie. */
export interface SmallWork {
  /** Triples. */
  readonly facts: string;
  /** A training configuration: 12 steps, a checkpoint every three. */
  readonly config: string;
  /** A data set of the triples with sampled queries. */
  readonly data: string;
  /** A run trained on it. */
  readonly run: string;
}

/** What `data sample` is told for few queries of each structure. */
export const fewQueries: readonly string[] = ['--train', '40', '--valid', '4', '--test', '4'];

/** Makes a small data set and a run of it in a folder, with the command. */
export async function smallWork(folder: string): Promise<SmallWork> {
  const work = {
    facts: join(folder, 'facts.tsv'),
    config: join(folder, 'config.json'),
    data: join(folder, 'data'),
    run: join(folder, 'run'),
  };
  writeFileSync(work.facts, facts);
  writeFileSync(work.config, JSON.stringify(config));
  await expectCommand('data', 'import', work.facts, '--out', work.data);
  await expectCommand('data', 'sample', work.data, ...fewQueries);
  await expectCommand('train', work.data, '--out', work.run, '--config', work.config, '--threads', '1');
  return work;
}
