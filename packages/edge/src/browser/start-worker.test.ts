import { expect, it } from 'vitest';
import type { OpenCall } from './browser-messages.ts';
import { startWorker } from './start-worker.ts';

const call: Omit<OpenCall, 'does'> = {
  address: 'https://example.org/bundle',
  headers: {},
  bundle: {},
  runtime: 'wasm',
  wasm: 'https://example.org/runtime.wasm',
  threads: 1,
  warmUp: 'none',
  cache: false,
  firstAnswers: 'runtime',
  opened: 'digest',
  grows: false,
};
const opened = { opened: undefined, runtime: 'stub' };
const refused = { error: { code: 'runtime', message: 'no Ed25519' } };

/** The opening of a worker that does what is given with its first message, and how often it was ended. */
function opening(
  onOpen: (worker: { answer(reply: unknown): void; onerror(event: Event): void }) => void,
  signal?: AbortSignal,
) {
  const seen = { terminated: 0 };
  // What is used of one.
  const worker = {
    onmessage: (_: { data: unknown }): void => undefined,
    onerror: (_: Event): void => undefined,
    postMessage({ id }: { id: number }) {
      onOpen({
        answer: (reply) => worker.onmessage({ data: { id, reply } }),
        onerror: (event) => worker.onerror(event),
      });
    },
    terminate() {
      seen.terminated += 1;
    },
  };
  return { seen, started: startWorker(() => worker as unknown as Worker, call, {}, signal) };
}

it('leaves a worker running that has opened, and ends one that refuses', async () => {
  const running = opening(({ answer }) => answer(opened));
  expect((await running.started).runtime).toBe('stub');
  expect(running.seen.terminated).toBe(0);
  const ended = opening(({ answer }) => answer(refused));
  await expect(ended.started).rejects.toMatchObject({ code: 'runtime', message: 'no Ed25519' });
  expect(ended.seen.terminated).toBe(1);
});

it('ends a worker whose script does not load, and says what to look at', async () => {
  const { seen, started } = opening(({ onerror }) => onerror(new Event('error', { cancelable: true })));
  await expect(started).rejects.toMatchObject({
    code: 'runtime',
    message: 'the web worker ended: its script could not be loaded',
    hint: expect.stringContaining('worker-src'),
  });
  expect(seen.terminated).toBeGreaterThan(0);
});

it('ends a worker that opens, once the signal is raised', async () => {
  const controller = new AbortController();
  const { seen, started } = opening(() => queueMicrotask(() => controller.abort()), controller.signal);
  await expect(started).rejects.toMatchObject({ name: 'AbortError', code: 'interrupted' });
  expect(seen.terminated).toBeGreaterThan(0);
});
