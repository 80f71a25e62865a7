import { afterEach, expect, it, vi } from 'vitest';
import { openBundle } from './open-bundle.ts';

afterEach(() => vi.unstubAllGlobals());

it('what the listener of warnings throws is no fault of the opening', async () => {
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
  // What is used of one.
  const worker = {
    onmessage: (_: { data: unknown }): void => undefined,
    terminate: () => undefined,
    postMessage({ id }: { id: number }) {
      worker.onmessage({ data: { id, reply: { error: { code: 'bundle', message: 'no bundle there' } } } });
    },
  };
  const opening = openBundle('/bundle', {
    runtime: 'wasm',
    wasm: '/wasm/',
    threads: 2,
    worker: () => worker as unknown as Worker,
    onWarning(warning) {
      throw warning;
    },
  });
  await expect(opening).rejects.toMatchObject({ code: 'bundle', message: 'no bundle there' });
  expect(thrown).toEqual([{ code: 'threads', message: expect.stringContaining('1 thread instead of 2') }]);
});
