import { expect, it } from 'vitest';
import { startKeptRuntime } from './start-kept-runtime.ts';

const call = { wasm: 'https://example.org/runtime.wasm', images: [] };

/** What is found by a worker that does what is given with its first message, and how often it was ended. */
function reading(onCall: (worker: { onmessage(event: unknown): void; onerror(event: Event): void }) => void) {
  const seen = { ended: 0, called: [] as unknown[] };
  // What is used of one.
  const worker = {
    onmessage: (_: unknown): void => undefined,
    onerror: (_: Event): void => undefined,
    postMessage(sent: unknown) {
      seen.called.push(sent);
      onCall(worker);
    },
    terminate() {
      seen.ended += 1;
    },
  };
  return { seen, ...startKeptRuntime(() => worker as unknown as Worker, call) };
}

it('gives what the worker finds, and ends it', async () => {
  const found = { image: { key: 'a', file: new ArrayBuffer(3) } };
  const { kept, seen } = reading((worker) => worker.onmessage({ data: found }));
  expect(await kept).toBe(found);
  expect(seen).toEqual({ ended: 1, called: [call] });
});

it('finds nothing where the worker cannot be started, fails, or is ended', async () => {
  const refused = startKeptRuntime(() => {
    throw new DOMException('worker-src', 'SecurityError');
  }, call);
  const failed = reading((worker) => worker.onerror(new Event('error', { cancelable: true })));
  const stuck = reading(() => undefined);
  stuck.end();
  expect(await Promise.all([refused.kept, failed.kept, stuck.kept])).toEqual([{}, {}, {}]);
  refused.end();
  expect([failed.seen.ended, stuck.seen.ended]).toEqual([1, 1]);
});
