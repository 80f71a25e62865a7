import { afterEach, expect, it, vi } from 'vitest';
import { openBundle } from './open-bundle.ts';

afterEach(() => vi.unstubAllGlobals());

it('in a sandboxed frame nothing is kept, and what the listener throws of it is no fault of the opening', async () => {
  const thrown: unknown[] = [];
  vi.stubGlobal('queueMicrotask', (work: () => void) =>
    Promise.resolve()
      .then(work)
      .catch((error: unknown) => thrown.push(error)),
  );
  vi.stubGlobal('Worker', class {});
  vi.stubGlobal('navigator', { hardwareConcurrency: 2 });
  vi.stubGlobal('crossOriginIsolated', false);
  vi.stubGlobal('location', { href: 'https://example.org/page' });
  vi.stubGlobal('fetch', () => new Promise(() => undefined));
  const { caches } = globalThis;
  Object.defineProperty(globalThis, 'caches', {
    configurable: true,
    get() {
      throw new DOMException('not in a sandboxed frame', 'SecurityError');
    },
  });
  const asked: unknown[] = [];
  // What is used of one.
  const worker = {
    onmessage: (_: { data: unknown }): void => undefined,
    terminate: () => undefined,
    postMessage({ id, call }: { id: number; call: { cache: boolean } }) {
      asked.push(call.cache);
      worker.onmessage({ data: { id, reply: { error: { code: 'bundle', message: 'no bundle there' } } } });
    },
  };
  const opening = openBundle('/bundle', {
    runtime: 'wasm',
    wasm: '/wasm/',
    threads: 1,
    worker: () => worker as unknown as Worker,
    onWarning(warning) {
      throw warning;
    },
  });
  await expect(opening).rejects.toMatchObject({ code: 'bundle', message: 'no bundle there' });
  Object.defineProperty(globalThis, 'caches', { configurable: true, writable: true, value: caches });
  expect(asked).toEqual([false]);
  expect(thrown).toEqual([{ code: 'cache', message: 'the runtime is not kept: not in a sandboxed frame' }]);
});
