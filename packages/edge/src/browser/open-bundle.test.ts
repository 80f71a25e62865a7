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
    return openBundle('/bundle', { wasm: '/wasm/', worker, ...options });
  };

  it.each([undefined, null, '', {}, 7])('an address %j is none', async (address) => {
    await opening({}).catch(() => {});
    asked.length = 0;
    const opened = openBundle(address as string);
    await expect(opened).rejects.toMatchObject({ code: 'usage', path: '$.address' });
    expect(asked).toEqual([]);
  });

  it.each([
    [{ runtime: 'foo' }, 'runtime: expected auto or wasm or webgpu or javascript, got "foo"'],
    [{ runtime: null }, 'runtime: expected auto or wasm or webgpu or javascript, got null'],
    [{ warmUp: 'foo' }, 'warmUp: expected sets or embedding or both or none, got "foo"'],
    [{ firstAnswers: ['runtime'] }, 'firstAnswers: expected javascript or runtime, got ["runtime"]'],
    [{ threads: '2' }, 'threads: expected an integer in [1, 64], got "2"'],
    // Files that nobody compares would be opened as they are.
    [{ verify: null }, 'verify: expected true or false, got null'],
    [{ verify: Number.NaN }, 'verify: expected true or false, got NaN'],
    [{ cache: 0 }, 'cache: expected true or false, got 0'],
    [{ signal: {} }, 'signal: expected an AbortSignal, got {}'],
    [{ headers: 'key' }, 'headers: expected an object, got "key"'],
    [{ onProgress: true }, 'onProgress: expected a function, got true'],
    [{ onWarning: [] }, 'onWarning: expected a function, got []'],
    [{ wasm: 1 }, 'wasm: expected the address of a folder, got 1'],
    [{ worker: null }, 'worker: expected a function, got null'],
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
