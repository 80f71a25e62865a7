import { afterEach, describe, expect, it, vi } from 'vitest';
import { messageWithPath } from './message-with-path.ts';
import { cacheStorage, loadRuntimeModule } from './runtime-module.ts';

/** The smallest module. */
const bytes = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0);
const url = 'https://example.org/runtime.wasm';

/** Cache Storage in memory, with the files that were fetched. */
function page() {
  const kept = new Map<string, Response>();
  let fetched = 0;
  vi.stubGlobal('fetch', async () => {
    fetched += 1;
    return new Response(bytes, { headers: { 'content-type': 'application/wasm' } });
  });
  const cache = {
    match: async (key: string) => kept.get(key)?.clone(),
    put: async (key: string, response: Response) => {
      const { headers } = response;
      kept.set(key, new Response(await response.arrayBuffer(), { headers }));
    },
    delete: async (key: string, { ignoreSearch = false } = {}) =>
      [...kept.keys()]
        .filter((each) => (ignoreSearch ? each.split('?')[0] === key : each === key))
        .map((each) => kept.delete(each)),
  };
  // What is used of it.
  const caches = { open: async () => cache as unknown as Cache };
  return {
    kept,
    caches,
    fetched: () => fetched,
    load: (version = '1') =>
      loadRuntimeModule({
        url,
        version,
        caches,
        onProgress: () => undefined,
        onUncached: (cause) => expect.unreachable(`${cause}`),
      }),
  };
}
afterEach(() => vi.unstubAllGlobals());

describe('the file of the runtime', () => {
  it('is compiled from the copy itself, so that a browser may keep its code, where it has the type', async () => {
    const { kept, load } = page();
    await (await load()).keep();
    const copies: Response[] = [];
    const compile = vi.spyOn(WebAssembly, 'compileStreaming').mockImplementation(async (source) => {
      copies.push(await source);
      return new WebAssembly.Module(bytes);
    });
    const [key, copy] = [...kept][0]!;
    copy.clone = () => copy;
    await load();
    const untyped = new Response(bytes);
    untyped.clone = () => untyped;
    kept.set(key, untyped);
    await load();
    compile.mockRestore();
    expect(copies.map((each) => [copy, untyped].includes(each))).toEqual([true, false]);
    expect(copies[1]!.headers.get('content-type')).toBe('application/wasm');
  });

  it('is kept once it runs, in place of that of another version', async () => {
    const { kept, fetched, load } = page();
    const first = await load();
    expect(kept.size).toBe(0);
    await first.keep();
    await load();
    expect(fetched()).toBe(1);
    await (await load('2')).keep();
    expect([...kept.keys()]).toEqual([`${url}?version=2`]);
    expect(fetched()).toBe(2);
  });

  it('is fetched again after a copy that did not run', async () => {
    const { fetched, load } = page();
    await (await load()).keep();
    await (await load()).discard();
    await (await load()).keep();
    expect(fetched()).toBe(2);
  });
});

it('that is not there is told by its address, and by the folder where its like belong', async () => {
  const { load } = page();
  vi.stubGlobal('fetch', async () => new Response('', { status: 404, statusText: 'Not Found' }));
  const refused = await load().catch((error: unknown) => error);
  expect(messageWithPath(refused)).toBe(`${url}: expected a .wasm file, got status 404 Not Found`);
  expect(`${refused}`).toContain(
    'Serve the .wasm files of onnxruntime-web/dist in https://example.org/, or give their folder',
  );
  expect(messageWithPath(new Error('of another kind'))).toBe('of another kind');
});

it('in a sandboxed frame, where the mere mention of Cache Storage throws, there is none', () => {
  const { caches } = globalThis;
  const refusal = new DOMException('not in a sandboxed frame', 'SecurityError');
  Object.defineProperty(globalThis, 'caches', {
    configurable: true,
    get() {
      throw refusal;
    },
  });
  const heard: unknown[] = [];
  const found = [true, false].map((isWanted) => cacheStorage(isWanted, (cause) => heard.push(cause)));
  Object.defineProperty(globalThis, 'caches', { configurable: true, writable: true, value: caches });
  expect(found).toEqual([undefined, undefined]);
  expect(heard).toEqual([refusal]);
});
