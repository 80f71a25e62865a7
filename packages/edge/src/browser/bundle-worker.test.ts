import { afterEach, expect, it, vi } from 'vitest';
import type { OpenCall } from './browser-messages.ts';
import { runtimeVersion } from './runtime-module.ts';

afterEach(() => vi.unstubAllGlobals());

/** The script of the worker in this thread; answers to what it is asked. */
async function worker() {
  const answered: ((reply: unknown) => void)[] = [];
  vi.stubGlobal('name', 'fuzzqe');
  vi.stubGlobal('onmessage', null);
  vi.stubGlobal('onmessageerror', null);
  // No file ever comes.
  vi.stubGlobal('fetch', () => new Promise(() => undefined));
  vi.stubGlobal('postMessage', ({ id, reply }: { id?: number; reply?: unknown }) => {
    if (id !== undefined) answered[id]?.(reply);
  });
  vi.resetModules();
  await import('./bundle-worker.ts');
  // What the script has set.
  const scope = globalThis as unknown as {
    onmessage(message: { data: unknown }): void;
    onmessageerror(): void;
  };
  const open = (changed: Partial<OpenCall>): Promise<unknown> => {
    const call = {
      ...{ does: 'open', address: 'https://example.org/bundle', headers: {}, bundle: {}, runtime: 'wasm' },
      ...{ wasm: 'https://example.org/runtime.wasm', version: runtimeVersion, threads: 1, warmUp: 'none' },
      ...{ cache: false, opened: undefined },
      ...changed,
    };
    return new Promise((resolve) => {
      const id = answered.push(resolve) - 1;
      scope.onmessage({ data: { id, call } });
    });
  };
  return { scope, open };
}

it('a compiled runtime that cannot be read is an answer, whether it was asked before or after', async () => {
  for (const isBefore of [true, false]) {
    const { scope, open } = await worker();
    if (isBefore) scope.onmessageerror();
    const reply = open({});
    if (!isBefore) scope.onmessageerror();
    expect(await reply).toMatchObject({
      error: { code: 'runtime', message: expect.stringContaining('read') },
    });
  }
});

it('a page with another version of the runtime, or from before pages said theirs, is refused', async () => {
  const { open } = await worker();
  expect(await open({ version: '1.2.3' })).toMatchObject({
    error: { code: 'runtime', message: `expected onnxruntime-web ${runtimeVersion}, got a page with 1.2.3` },
  });
  // The type has no page of an earlier release.
  const earlier = { version: undefined } as unknown as Partial<OpenCall>;
  expect(await open(earlier)).toMatchObject({ error: { code: 'runtime' } });
});
