import { afterEach, describe, expect, it, vi } from 'vitest';
import { openBundle } from './open-bundle.ts';

afterEach(() => vi.unstubAllGlobals());

describe('an option', () => {
  const asked: unknown[] = [];
  /** Opens with what programs without types can give. */
  const opening = (options: object): Promise<unknown> => {
    vi.stubGlobal('Worker', class {});
    vi.stubGlobal('navigator', { hardwareConcurrency: 2 });
    vi.stubGlobal('crossOriginIsolated', false);
    vi.stubGlobal('location', { href: 'https://example.org/page' });
    vi.stubGlobal('fetch', async (address: unknown) => asked.push(address));
    const worker = (): Worker => expect.unreachable('a worker');
    return openBundle('/bundle', { ...options, wasm: '/wasm/', worker });
  };

  it.each([
    [{ runtime: 'foo' }, 'runtime: expected one of auto, wasm, webgpu, javascript, got "foo"'],
    [{ runtime: null }, 'runtime: expected one of auto, wasm, webgpu, javascript, got null'],
    [{ warmUp: 'foo' }, 'warmUp: expected one of sets, embedding, both, none, got "foo"'],
    [{ firstAnswers: ['runtime'] }, 'firstAnswers: expected one of javascript, runtime, got ["runtime"]'],
    [{ threads: '2' }, 'threads: expected an integer in [1, 64], got "2"'],
  ])('%j is refused before anything is fetched', async (options, message) => {
    const hint = 'Leave it out for the default.';
    await expect(opening(options)).rejects.toMatchObject({ code: 'usage', message, hint });
    expect(asked).toEqual([]);
  });
});

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
