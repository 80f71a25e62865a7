import { afterEach, expect, it, vi } from 'vitest';
import type { WorkerEvent } from './browser-messages.ts';
import { openInWorker } from './open-in-worker.ts';

afterEach(() => vi.unstubAllGlobals());

it('says that nothing is kept where the browser has no Cache Storage for the page', async () => {
  const { caches } = globalThis;
  Object.defineProperty(globalThis, 'caches', {
    configurable: true,
    get() {
      throw new DOMException('not in a sandboxed frame', 'SecurityError');
    },
  });
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('no network')));
  const events: WorkerEvent[] = [];
  const opening = openInWorker(
    {
      ...{ does: 'open', address: 'https://example.org/bundle', headers: {}, bundle: {}, runtime: 'wasm' },
      ...{
        wasm: 'https://example.org/runtime.wasm',
        threads: 1,
        warmUp: 'none',
        cache: true,
        opened: undefined,
        grows: false,
        firstAnswers: 'runtime',
      },
    },
    (event) => events.push(event),
    () => expect.unreachable(),
  );
  await expect(opening).rejects.toMatchObject({ path: expect.stringContaining('https://example.org/') });
  Object.defineProperty(globalThis, 'caches', { configurable: true, writable: true, value: caches });
  expect(events).toContainEqual({
    event: 'warning',
    warning: { code: 'cache', message: 'the runtime is not kept: not in a sandboxed frame' },
  });
});
