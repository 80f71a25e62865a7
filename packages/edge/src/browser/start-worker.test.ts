import { FuzzError } from '@fuzzqe/core';
import { expect, it } from 'vitest';
import type { OpenCall } from './browser-messages.ts';
import type { RuntimeModule } from './runtime-module.ts';
import { startWorker } from './start-worker.ts';

const module = new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
const call: Omit<OpenCall, 'does'> = {
  address: 'https://example.org/bundle',
  headers: {},
  bundle: {},
  runtime: 'wasm',
  wasm: 'https://example.org/runtime.wasm',
  version: '1',
  threads: 1,
  warmUp: 'none',
  cache: false,
  opened: 'digest',
};
const opened = { opened: undefined, runtime: 'stub' };
const refused = { error: { code: 'runtime', message: 'no Ed25519' } };

/** A worker that does what is given with each message, and what became of it. */
function stubWorker(
  onCall: (message: { id?: number; module?: unknown }, say: (data: unknown) => void) => void,
) {
  const seen = { terminated: 0, kept: 0, discarded: 0 };
  // What is used of one.
  const worker = {
    onmessage: (_: { data: unknown }): void => undefined,
    postMessage(message: object) {
      onCall(message, (data) => worker.onmessage({ data }));
    },
    terminate() {
      seen.terminated += 1;
    },
  };
  const loaded = (changed: Partial<RuntimeModule> = {}): RuntimeModule => ({
    module,
    async keep() {
      seen.kept += 1;
    },
    async discard() {
      seen.discarded += 1;
    },
    ...changed,
  });
  const start = (load: (signal: AbortSignal) => Promise<RuntimeModule>, signal?: AbortSignal) =>
    startWorker(() => worker as unknown as Worker, load, call, {}, signal);
  return { worker, seen, loaded, start };
}

const never = new Promise<never>(() => undefined);

it('a worker that cannot be sent the compiled runtime is refused and ended', async () => {
  const { seen, loaded, start } = stubWorker((message) => {
    if ('module' in message) throw new DOMException('a module could not be cloned', 'DataCloneError');
  });
  await expect(start(async () => loaded())).rejects.toMatchObject({
    code: 'runtime',
    message: expect.stringContaining('a module could not be cloned'),
    hint: expect.stringContaining('worker'),
  });
  expect(seen.terminated).toBeGreaterThan(0);
});

it('what the compiling throws, now or later, is thrown, and nothing of the worker stays', async () => {
  const missing = new FuzzError('runtime', 'no such file');
  const loads = [
    () => Promise.reject(missing),
    () => {
      throw missing;
    },
  ];
  for (const load of loads) {
    const { seen, start } = stubWorker(() => undefined);
    await expect(start(load)).rejects.toBe(missing);
    expect(seen.terminated).toBeGreaterThan(0);
  }
});

it('a refusal before the runtime has come is thrown at once, and ends the download', async () => {
  const { start, seen } = stubWorker(({ id }, say) => say({ id, reply: refused }));
  let until: AbortSignal | undefined;
  const opening = start((signal) => {
    until = signal;
    return never;
  });
  await expect(opening).rejects.toMatchObject({ message: 'no Ed25519' });
  expect([until!.aborted, seen.terminated]).toEqual([true, 1]);
});

it('a copy of the runtime is forgotten where it did not begin to run, and no other', async () => {
  for (const isAtFault of [true, false]) {
    let first: number | undefined;
    const { seen, loaded, start } = stubWorker(({ id }, say) => {
      first ??= id;
      if (id !== undefined) return;
      if (isAtFault) say({ event: 'runtimeFailed' });
      say({ id: first, reply: refused });
    });
    await expect(start(async () => loaded())).rejects.toMatchObject({ message: 'no Ed25519' });
    expect(seen).toEqual({ terminated: 1, kept: 0, discarded: isAtFault ? 1 : 0 });
  }
});

it('the signal ends what is waited for: the opening, the keeping of a file and the forgetting of one', async () => {
  for (const stage of ['open', 'keep', 'discard']) {
    const controller = new AbortController();
    const waits = (): Promise<void> => {
      queueMicrotask(() => controller.abort());
      return never;
    };
    let first: number | undefined;
    const { seen, loaded, start } = stubWorker(({ id }, say) => {
      first ??= id;
      if (id !== undefined) return;
      if (stage === 'open') void waits();
      if (stage === 'discard') say({ event: 'runtimeFailed' });
      if (stage !== 'open') say({ id: first, reply: stage === 'keep' ? opened : refused });
    });
    const load = async () => loaded({ keep: waits, discard: waits });
    await expect(start(load, controller.signal), stage).rejects.toMatchObject({ code: 'interrupted' });
    expect(seen.terminated, stage).toBeGreaterThan(0);
  }
});

it('keeps the file of a runtime that runs, and leaves the worker running', async () => {
  let first: number | undefined;
  const { seen, loaded, start } = stubWorker(({ id }, say) => {
    first ??= id;
    if (id === undefined) say({ id: first, reply: opened });
  });
  expect((await start(async () => loaded())).runtime).toBe('stub');
  expect(seen).toEqual({ terminated: 0, kept: 1, discarded: 0 });
});
