import { afterEach, describe, expect, it, vi } from 'vitest';
import { keptImage } from './kept-image.ts';
import { type KeptRuntime, readKeptRuntime } from './kept-runtime.ts';
import { cacheStorage, loadRuntimeModule } from './runtime-module.ts';

/** The smallest module. */
const bytes = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0);
const url = 'https://example.org/runtime.wasm';
const imageUrl = `${url}.image`;
const nothing = Promise.resolve({});

/** Cache Storage in memory, with the files that were fetched. */
function page() {
  const kept = new Map<string, Response>();
  let fetched = 0;
  vi.stubGlobal('fetch', async () => {
    fetched += 1;
    return new Response(bytes, { headers: { 'content-type': 'application/wasm' } });
  });
  const cache = {
    match: async (key: string | { readonly url: string }) =>
      kept.get(typeof key === 'string' ? key : key.url)?.clone(),
    put: async (key: string, response: Response) => {
      const { headers } = response;
      kept.set(key, new Response(await response.arrayBuffer(), { headers }));
    },
    keys: async (address: string) =>
      [...kept.keys()].flatMap((key) => (key.split('?')[0] === address ? [{ url: key }] : [])),
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
    load: (version = '1', kept: KeptRuntime = {}) =>
      loadRuntimeModule({
        url,
        version,
        caches,
        kept: Promise.resolve(kept),
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

describe('what the runtime began with', () => {
  it('is given where it is as it was, to the same version, and lies beside the file', async () => {
    const { kept, caches, load } = page();
    const image = keptImage(caches, imageUrl, '1', nothing);
    expect(await image.read()).toBeUndefined();
    await image.keep(Uint8Array.of(1, 2, 3));
    await (await load()).keep();
    expect(await image.read()).toEqual(Uint8Array.of(1, 2, 3));
    expect(await keptImage(caches, imageUrl, '2', nothing).read()).toBeUndefined();
    expect(await keptImage(undefined, imageUrl, '1', nothing).read()).toBeUndefined();
    const imageKey = [...kept.keys()].find((key) => key.includes('.image'))!;
    const altered = new Uint8Array(await kept.get(imageKey)!.arrayBuffer());
    altered[altered.length - 1]! ^= 1;
    kept.set(imageKey, new Response(altered));
    expect(await image.read()).toBeUndefined();
    await image.keep(Uint8Array.of(4));
    expect(await image.read()).toEqual(Uint8Array.of(4));
    await image.discard();
    expect([...kept.keys()]).toEqual([`${url}?version=1`]);
  });

  it('costs nothing but time where nothing can be kept', async () => {
    const image = keptImage({ open: () => Promise.reject(new Error('quota')) }, imageUrl, '1', nothing);
    await image.keep(Uint8Array.of(1));
    expect(await image.read()).toBeUndefined();
  });
});

describe('what somebody else has read meanwhile', () => {
  it('is taken where it is of the version, and of nothing that was kept there is nothing', async () => {
    const { caches, fetched, load } = page();
    vi.stubGlobal('caches', caches);
    const images = [`${url}.opened`, imageUrl];
    expect(await readKeptRuntime({ wasm: url, images })).toEqual({});
    await (await load()).keep();
    const image = keptImage(caches, imageUrl, '1', nothing);
    await image.keep(Uint8Array.of(1, 2, 3));
    const found = await readKeptRuntime({ wasm: url, images });
    expect(found).toMatchObject({
      code: { key: `${url}?version=1` },
      image: { key: `${imageUrl}?version=1` },
    });
    expect((await readKeptRuntime({ wasm: url, images: [] })).image).toBeUndefined();
    const { module } = found.code!;
    expect((await load('1', found)).module).toBe(module);
    expect((await load('2', found)).module).not.toBe(module);
    expect(fetched()).toBe(2);
    // As it was when it was read: its digest is compared here.
    await image.discard();
    const kept = Promise.resolve(found);
    expect(await keptImage(caches, imageUrl, '1', kept).read()).toEqual(Uint8Array.of(1, 2, 3));
    expect(await keptImage(caches, imageUrl, '1', kept, '&bundle=a').read()).toBeUndefined();
    new Uint8Array(found.image!.file)[130]! ^= 1;
    expect(await keptImage(caches, imageUrl, '1', kept).read()).toBeUndefined();
  });

  it('is nothing where a copy is no module, or nothing can be read', async () => {
    const { kept, caches } = page();
    vi.stubGlobal('caches', caches);
    kept.set(
      `${url}?version=1`,
      new Response(Uint8Array.of(1), { headers: { 'content-type': 'application/wasm' } }),
    );
    expect(await readKeptRuntime({ wasm: url, images: [] })).toEqual({});
    vi.stubGlobal('caches', undefined);
    expect(await readKeptRuntime({ wasm: url, images: [imageUrl] })).toEqual({});
  });
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
