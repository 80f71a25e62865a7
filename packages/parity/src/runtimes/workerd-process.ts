import { spawn } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { FuzzError } from '@fuzzqe/core';

/** A Worker that listens on this machine. */
export interface WorkerProcess {
  readonly url: string;
  /** Ends it and removes its files. */
  close(): Promise<void>;
}

/** What a Worker is made of. */
export interface WorkerFiles {
  /** An ES module that exports a handler by default, and may import './ort.wasm'. */
  readonly script: string;
  readonly wasm: string;
  /** The folder that is bound as BUNDLE. */
  readonly bundle: string;
}

const startSeconds = 30;

/** Starts workerd. Throws: 'runtime' where it ends, or does not listen in time. */
export async function startWorker(program: string, files: WorkerFiles): Promise<WorkerProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'fuzzqe-workerd-'));
  const config = join(folder, 'config.capnp');
  await writeFile(config, configOf(files.bundle));
  await writeFile(join(folder, 'worker.js'), files.script);
  await copyFile(files.wasm, join(folder, 'ort.wasm'));
  const child = spawn(program, ['serve', '--control-fd=3', config], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  const end = (): boolean => child.kill('SIGKILL');
  process.once('exit', end);
  const ended = new Promise<void>((settle) => child.once('close', () => settle()));
  const close = async (): Promise<void> => {
    process.removeListener('exit', end);
    end();
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  const heard: string[] = [];
  child.stderr?.on('data', (chunk: Buffer) => heard.push(chunk.toString()));
  try {
    return { url: `http://127.0.0.1:${await portOf(child.stdio[3] as Readable, child, heard)}`, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The port that the process announces, one event a line. */
function portOf(
  events: Readable,
  child: ReturnType<typeof spawn>,
  heard: readonly string[],
): Promise<number> {
  return new Promise((settle, refuse) => {
    const fail = (what: string): void =>
      refuse(new FuzzError('runtime', `workerd ${what}: ${heard.join('').trim() || 'it said nothing'}`));
    const timer = setTimeout(() => fail('did not listen in time'), startSeconds * 1000);
    child.once('error', (error) => fail(error.message));
    child.once('close', () => fail('ended'));
    createInterface({ input: events }).on('line', (line) => {
      const event = JSON.parse(line) as { readonly event?: string; readonly port?: number };
      if (event.event !== 'listen' || event.port === undefined) return;
      clearTimeout(timer);
      settle(event.port);
    });
  });
}

/** Text of the configuration: one Worker, and a folder that it may read. */
function configOf(bundle: string): string {
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "bundle", disk = (path = ${JSON.stringify(resolve(bundle))})),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [
    (name = "worker.js", esModule = embed "worker.js"),
    (name = "ort.wasm", wasm = embed "ort.wasm"),
  ],
  compatibilityDate = "2026-01-01",
  bindings = [(name = "BUNDLE", service = "bundle")],
);
`;
}
