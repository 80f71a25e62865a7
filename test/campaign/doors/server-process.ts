import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { commandFile } from './command-process.ts';

/** A command that serves, in a process of its own. */
export interface Serving {
  readonly port: number;
  readonly child: ChildProcess;
  readonly exit: Promise<number | null>;
  /** The last that it said. */
  readonly said: () => string;
  /** The most memory that it has had, in MiB; 0 where the system does not tell. */
  readonly mebibytes: () => number;
}

/** Starts `fuzzqe serve BUNDLE` or another command that prints its address. */
export async function startServing(command: string, bundle: string, ...more: string[]): Promise<Serving> {
  const child = spawn(process.execPath, [commandFile, command, bundle, '--port', '0', ...more], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  const exit = once(child, 'exit').then(([code]) => code as number | null);
  const port = await new Promise<number>((resolve, reject) => {
    const listen = (chunk: Buffer): void => {
      said = `${said}${chunk}`.slice(-20_000);
      const found = /http:\/\/127\.0\.0\.1:(\d+)/.exec(said)?.[1];
      if (found !== undefined) resolve(Number(found));
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    void exit.then((code) => reject(new Error(`exit code ${code}\n${said}`)));
  });
  const mebibytes = (): number => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
    } catch {
      return 0;
    }
  };
  return { port, child, exit, said: () => said, mebibytes };
}

/** What a server may say: no stack and no defect. */
export function expectQuiet(said: string): void {
  assert.doesNotMatch(said, /\n\s+at |a defect of this program/, said);
}
