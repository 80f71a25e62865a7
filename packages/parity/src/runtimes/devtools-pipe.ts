import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { FuzzError } from '@fuzzqe/core';

/** A browser that is spoken to through the DevTools protocol. */
export interface Browser {
  /** One command. Throws: 'runtime' where the browser refuses or has ended. */
  send(method: string, parameters?: object, sessionId?: string): Promise<Record<string, unknown>>;
  /** Ends the browser and removes its profile. */
  close(): Promise<void>;
}

interface Message {
  readonly id?: number;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

interface Waiting {
  settle(result: Record<string, unknown>): void;
  refuse(error: FuzzError): void;
}

/** No network of its own, no profile of the user's, and no sandbox, which root may not have. */
const flags: readonly string[] = [
  '--headless',
  '--no-sandbox',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
  '--remote-debugging-pipe',
];

/**
 * Starts Chromium, spoken to over two pipes instead of a port: nothing else on this machine can reach it.
 *
 * Messages are JSON, each ended by a zero byte.
 */
export async function startBrowser(program: string, more: readonly string[]): Promise<Browser> {
  const profile = await mkdtemp(join(tmpdir(), 'fuzzqe-chromium-'));
  const child = spawn(program, [...flags, ...more, `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    // A group of its own, so that its helpers end with it.
    detached: true,
  });
  const end = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  };
  process.once('exit', end);
  const waiting = new Map<number, Waiting>();
  let failure: FuzzError | undefined;
  const fail = (what: string): void => {
    failure ??= new FuzzError('runtime', `${program} ${what}`);
    for (const { refuse } of waiting.values()) refuse(failure);
    waiting.clear();
  };
  const ended = new Promise<void>((settle) => {
    child.once('error', (error) => {
      fail(error.message);
      settle();
    });
    child.once('close', () => {
      fail('ended');
      settle();
    });
  });
  const input = child.stdio[3] as Writable;
  input.on('error', (error) => fail(error.message));
  onMessages(child.stdio[4] as Readable, ({ id, result, error }) => {
    const entry = id === undefined ? undefined : waiting.get(id);
    if (id === undefined || entry === undefined) return;
    waiting.delete(id);
    if (error === undefined) entry.settle(result ?? {});
    else entry.refuse(new FuzzError('runtime', `${program}: ${error.message}`));
  });
  let count = 0;
  return {
    send: (method, params = {}, sessionId) =>
      new Promise((settle, refuse) => {
        if (failure !== undefined) {
          refuse(failure);
          return;
        }
        count += 1;
        waiting.set(count, { settle, refuse });
        input.write(`${JSON.stringify({ id: count, method, params, sessionId })}\0`);
      }),
    async close() {
      process.removeListener('exit', end);
      end();
      await ended;
      // Helpers may still be writing.
      await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

function onMessages(stream: Readable, hear: (message: Message) => void): void {
  let rest: Buffer = Buffer.alloc(0);
  stream.on('data', (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
      hear(JSON.parse(rest.subarray(0, end).toString()) as Message);
      rest = rest.subarray(end + 1);
    }
  });
}
