import { verifyProfile } from '@fuzzqe/bundle';
import { memoryBundle } from '@fuzzqe/engine/testing';
import { describe, expect, it, vi } from 'vitest';
import { type Fetch, type FetchSourceOptions, fetchSource } from './index.ts';

/** Gives one response after the other, the last one for ever. */
const answering = (...responses: (() => Response | Promise<Response>)[]) => {
  const asked: string[] = [];
  const fetch: Fetch = async (url) => {
    asked.push(url);
    return responses[Math.min(asked.length, responses.length) - 1]!();
  };
  return { asked, fetch };
};
const file = (): Response => new Response('weights');
const read = (fetch: Fetch, options: FetchSourceOptions = {}, most?: number): Promise<Uint8Array> =>
  fetchSource('https://example.org', { fetch, retries: 0, ...options }).read('facts.bin', most);
const broken = (): never => {
  throw new TypeError('fetch failed');
};

describe('fetchSource', () => {
  it('reads a file under the address, with or without a slash at its end', async () => {
    for (const address of ['https://example.org/bundle', new URL('https://example.org/bundle/')]) {
      const { asked, fetch } = answering(file);
      const bytes = await fetchSource(address, { fetch }).read('models/fp32/a b.bin');
      expect(new TextDecoder().decode(bytes)).toBe('weights');
      expect(asked).toEqual(['https://example.org/bundle/models/fp32/a%20b.bin']);
    }
  });

  it.each<[string, () => Response, RegExp]>([
    [
      'a status that is no success',
      () => new Response('', { status: 404, statusText: 'Not Found' }),
      /status 404 Not Found/,
    ],
    [
      'a web page',
      () => new Response('<html>', { headers: { 'content-type': 'text/html; charset=utf-8' } }),
      /expected the file facts.bin, got a web page/,
    ],
    [
      'a file cut off',
      () => new Response('weig', { headers: { 'content-length': '7' } }),
      /expected 7 bytes, got 4/,
    ],
    ['a failed connection', broken, /no answer: fetch failed/],
  ])('refuses %s, and names the address', async (_, response, message) => {
    await expect(read(answering(response).fetch)).rejects.toMatchObject({
      code: 'bundle',
      path: 'https://example.org/facts.bin',
      message: expect.stringMatching(message),
    });
  });

  it.each<[string, Record<string, string>, () => BodyInit]>([
    ['announces more', { 'content-length': '7' }, () => 'weights'],
    ['turns out longer', {}, () => 'weights'],
    ['unfolds to more', { 'content-length': '4', 'content-encoding': 'gzip' }, () => 'weights'],
    ['never ends', {}, () => new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(65_536)) })],
  ])('refuses an answer that %s than it may have', async (_, headers, body) => {
    const { fetch } = answering(() => new Response(body(), { headers: { ...headers } }));
    await expect(read(fetch, {}, 6)).rejects.toMatchObject({
      code: 'bundle',
      message: 'too long: expected at most 6 bytes',
    });
  });

  it('reads what has as many bytes as it may, or fewer', async () => {
    for (const most of [7, 8, 100]) {
      const { fetch } = answering(() => new Response(new Blob(['weights']).stream()));
      expect(new TextDecoder().decode(await read(fetch, {}, most))).toBe('weights');
    }
  });

  it('sends its headers with every request, and none where it has none', async () => {
    const sent: unknown[] = [];
    const fetch: Fetch = async (_, init) => {
      sent.push(init?.headers);
      return sent.length === 1 ? new Response('', { status: 503 }) : file();
    };
    await read(fetch, { headers: { authorization: 'Bearer key' }, retries: 1, backOff: 0 });
    await read(fetch);
    expect(sent).toEqual([{ authorization: 'Bearer key' }, { authorization: 'Bearer key' }, undefined]);
  });

  it('asks whether a manifest is still the newest, and anew for what was wrong, where fetch keeps answers', async () => {
    const modes: unknown[] = [];
    const fetch = async (url: string, init?: RequestInit) => {
      modes.push([new URL(url).pathname, init?.cache]);
      return file();
    };
    for (const httpCache of [true, false]) {
      const source = fetchSource('https://example.org', { fetch, httpCache });
      await source.read('manifest.json');
      await source.read('facts.bin');
      await source.discard?.('facts.bin', '00');
      await source.read('facts.bin');
    }
    expect(modes).toEqual([
      ['/manifest.json', 'no-cache'],
      ['/facts.bin', undefined],
      ['/facts.bin', 'reload'],
      ['/manifest.json', undefined],
      ['/facts.bin', undefined],
      ['/facts.bin', undefined],
    ]);
  });

  it('takes the binding of assets of a Worker, whose fetch knows fewer of the platform’s options', async () => {
    // As @cloudflare/workers-types has them: what is compiled is the test.
    interface Fetcher {
      fetch(
        input: string | URL,
        init?: {
          headers?: HeadersInit;
          signal?: AbortSignal | null;
          cache?: 'no-store' | 'no-cache';
        },
      ): Promise<Response>;
    }
    const assets: Fetcher = { fetch: async () => file() };
    const source = fetchSource('https://assets', { fetch: (url, init) => assets.fetch(url, init) });
    expect(new TextDecoder().decode(await source.read('facts.bin'))).toBe('weights');
  });

  it('takes no length from an answer of another origin, whose encoding is hidden', async () => {
    const answer = (type: ResponseType) => () =>
      Object.defineProperty(new Response('weights', { headers: { 'content-length': '4' } }), 'type', {
        value: type,
      });
    expect(await read(answering(answer('cors')).fetch)).toHaveLength(7);
    await expect(read(answering(answer('basic')).fetch)).rejects.toThrow('expected 4 bytes, got 7');
  });

  it('takes the length of a compressed answer for what it is', async () => {
    const headers = { 'content-length': '4', 'content-encoding': 'gzip' };
    const { fetch } = answering(() => new Response('weights', { headers }));
    expect(await read(fetch)).toHaveLength(7);
  });

  it.each<[string, () => Response]>([
    ['no answer', broken],
    ['an overloaded server', () => new Response('', { status: 503 })],
    ['a limit of requests', () => new Response('', { status: 429 })],
    ['a request that came too slowly', () => new Response('', { status: 408 })],
    ['a file cut off', () => new Response('weig', { headers: { 'content-length': '7' } })],
  ])('tries again after %s, as often as it may', async (_, failure) => {
    const passing = answering(failure, failure, file);
    expect(await read(passing.fetch, { retries: 2, backOff: 0 })).toHaveLength(7);
    const lasting = answering(failure);
    await expect(read(lasting.fetch, { retries: 2, backOff: 0 })).rejects.toMatchObject({ code: 'bundle' });
    expect(lasting.asked).toHaveLength(3);
  });

  it('waits twice as long before each attempt, so that a server in trouble is left alone', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { asked, fetch } = answering(() => new Response('', { status: 503 }));
      const refused = expect(read(fetch, { retries: 4, backOff: 100 })).rejects.toThrow('status 503');
      const after: number[] = [];
      for (const wait of [0, 99, 1, 199, 1, 399, 1, 799, 1]) {
        await vi.advanceTimersByTimeAsync(wait);
        after.push(asked.length);
      }
      expect(after).toEqual([1, 1, 2, 2, 3, 3, 4, 4, 5]);
      await refused;
    } finally {
      vi.useRealTimers();
    }
  });

  it('does not try again what will not pass', async () => {
    const { asked, fetch } = answering(() => new Response('', { status: 404 }));
    await expect(read(fetch, { retries: 5, backOff: 0 })).rejects.toMatchObject({ code: 'bundle' });
    expect(asked).toHaveLength(1);
  });

  it('gives up what does not come although the clock is put back', async () => {
    let time = Date.now();
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => {
      time -= 3_600_000;
      return time;
    });
    try {
      await expect(read(() => new Promise(() => undefined), { timeout: 5 })).rejects.toMatchObject({
        message: 'no answer: nothing came for 5 ms',
      });
    } finally {
      clock.mockRestore();
    }
  });

  it('cancels a body that stops, whoever gave it', async () => {
    const cancelled = new Promise<void>((cancel) => {
      const body = new ReadableStream({ cancel: () => cancel() });
      read(answering(() => new Response(body)).fetch, { timeout: 5 }).catch(() => undefined);
    });
    await cancelled;
  });

  it('gives up an answer that does not come, and a body that stops', async () => {
    const never = new Promise<Response>(() => undefined);
    const stopped = (): Response =>
      new Response(new ReadableStream({ start: (to) => to.enqueue(new Uint8Array(3)) }));
    await expect(read(() => never, { timeout: 5 })).rejects.toMatchObject({
      message: 'no answer: nothing came for 5 ms',
    });
    await expect(read(answering(stopped).fetch, { timeout: 5 })).rejects.toMatchObject({
      message: 'the connection broke off: nothing came for 5 ms',
    });
  });

  it('takes its time with a slow line, from which something comes in time each time, and then leaves no timer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      let left = 10;
      const body = new ReadableStream({
        async pull(to) {
          await new Promise((resolve) => setTimeout(resolve, 60));
          to.enqueue(new Uint8Array(1));
          left -= 1;
          if (left === 0) to.close();
        },
      });
      const reading = read(answering(() => new Response(body)).fetch, { timeout: 100 });
      reading.catch(() => undefined);
      await vi.advanceTimersByTimeAsync(610);
      expect(await reading).toHaveLength(10);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('ends with its signal, whatever it waits for', async () => {
    for (const response of [broken, () => new Promise<Response>(() => undefined)]) {
      const abort = new AbortController();
      const { asked, fetch } = answering(response);
      const reading = read(fetch, { signal: abort.signal, retries: 9, backOff: 1e9, timeout: 1e9 });
      const refused = expect(reading).rejects.toMatchObject({ name: 'AbortError', code: 'interrupted' });
      abort.abort();
      await refused;
      expect(asked).toHaveLength(1);
    }
  });

  it('says how far it is', async () => {
    const heard: unknown[] = [];
    const source = fetchSource('https://example.org', {
      fetch: answering(file).fetch,
      onProgress: (progress) => heard.push(progress),
    });
    await source.read('facts.bin', 7, 'digest');
    await source.read('manifest.json', 100);
    expect(heard).toEqual([
      { path: 'facts.bin', bytes: 7, of: 7 },
      { path: 'manifest.json', bytes: 7, of: undefined },
    ]);
  });
});

/** Cache Storage in memory; `fail` is thrown where something is to be kept, and other `keys` may list nothing. */
function memoryCaches({ fail, ...lists }: { readonly fail?: Error; readonly keys?: unknown } = {}) {
  const entries = new Map<
    string,
    { readonly bytes: Uint8Array; readonly digest: string | null; readonly made?: string | null }
  >();
  const cache = {
    async match(url: string) {
      const entry = entries.get(url);
      if (entry === undefined) return undefined;
      const { bytes, digest, made = null } = entry;
      const headers = {
        ...(digest === null ? {} : { sha256: digest }),
        ...(made === null ? {} : { 'kept-at': made }),
      };
      return new Response(Uint8Array.from(bytes), { headers });
    },
    async put(url: string, response: Response) {
      if (fail !== undefined) throw fail;
      const bytes = new Uint8Array(await response.arrayBuffer());
      // As the platform's: what is put again comes last.
      entries.delete(url);
      const { headers } = response;
      entries.set(url, { bytes, digest: headers.get('sha256'), made: headers.get('kept-at') });
    },
    delete: async (url: string) => entries.delete(url),
    keys: async () => [...entries.keys()].map((url) => ({ url })),
    ...lists,
  };
  // What the source uses of it.
  return { entries, caches: { open: async () => cache as unknown as Cache } };
}

/** What an earlier version of a bundle left. */
const leftOver = (digest = '0') => ({ bytes: new Uint8Array(240), digest });

describe('copies of a bundle', async () => {
  const { source: original } = await memoryBundle({ entities: 12, facts: 20 });
  const manifest = await import('@fuzzqe/bundle').then(({ readManifest }) => readManifest(original));
  const serving = () => {
    const asked: string[] = [];
    const fetch: Fetch = async (url) => {
      const path = url.slice('https://example.org/'.length);
      asked.push(path);
      return new Response(Uint8Array.from(await original.read(path)));
    };
    return { asked, fetch };
  };

  it('are read instead of the network, once they are verified', async () => {
    const { caches, entries } = memoryCaches();
    for (const expected of [['facts.bin'], []]) {
      const { asked, fetch } = serving();
      const source = fetchSource('https://example.org', { fetch, caches });
      const verified = await verifyProfile(source, manifest, 'fp32');
      expect(await verified.read('facts.bin')).toEqual(await original.read('facts.bin'));
      expect(asked).toEqual(expected);
    }
    expect([...entries].map(([url, { digest }]) => [url, digest])).toEqual([
      ['https://example.org/facts.bin', manifest.files['facts.bin']!.sha256],
    ]);
  });

  it('are fetched again where they are damaged', async () => {
    const { caches, entries } = memoryCaches();
    entries.set('https://example.org/facts.bin', leftOver(manifest.files['facts.bin']!.sha256));
    const { asked, fetch } = serving();
    const verified = await verifyProfile(
      fetchSource('https://example.org', { fetch, caches }),
      manifest,
      'fp32',
    );
    expect(await verified.read('facts.bin')).toEqual(await original.read('facts.bin'));
    expect(asked).toEqual(['facts.bin']);
  });

  it('stand for a manifest that cannot be reached, which is said, and not for one that is gone', async () => {
    const { caches } = memoryCaches();
    const { fetch } = serving();
    const first = fetchSource('https://example.org', { fetch, caches });
    await first.read('manifest.json');
    await first.keep!(manifest);
    const heard: string[] = [];
    const onWarning = ({ message }: Error): unknown => heard.push(message);
    const { asked, fetch: offline } = answering(broken);
    const source = fetchSource('https://example.org', { fetch: offline, caches, onWarning, backOff: 1e9 });
    expect(await source.read('manifest.json')).toEqual(await original.read('manifest.json'));
    expect(asked).toHaveLength(1);
    expect(heard).toEqual(['no answer: the copy of an earlier visit is used']);
    const gone = answering(() => new Response('', { status: 404 }));
    await expect(
      fetchSource('https://example.org', { fetch: gone.fetch, caches }).read('manifest.json'),
    ).rejects.toMatchObject({ code: 'bundle' });
  });

  it('are none of a manifest before its bundle was opened', async () => {
    const { caches, entries } = memoryCaches();
    const source = fetchSource('https://example.org', { fetch: serving().fetch, caches });
    await source.read('manifest.json');
    expect(entries.size).toBe(0);
    await source.keep!(manifest);
    expect([...entries.keys()]).toEqual(['https://example.org/manifest.json']);
  });

  it('go away with another version of their bundle, and with bundles that four others came after', async () => {
    const { caches, entries } = memoryCaches();
    const open = async (address: string): Promise<void> => {
      const fetch: Fetch = async (url) =>
        new Response(Uint8Array.from(await original.read(url.slice(address.length + 1))));
      const source = fetchSource(address, { fetch, caches });
      await source.read('manifest.json');
      await (await verifyProfile(source, manifest, 'fp32')).read('facts.bin');
      await source.keep!(manifest);
    };
    entries.set('https://example.org/of-an-older-one.bin', leftOver());
    // Nobody has asked for it since it is another one.
    entries.set('https://example.org/evidence.json', leftOver());
    entries.set('https://example.org/1/facts.bin', leftOver());
    entries.set('https://example.org/1/manifest.json', leftOver('newest'));
    await open('https://example.org');
    const urls = (): string[] => [...entries.keys()];
    // What lies in a folder of the bundle, but is of a bundle of its own, stays.
    expect(urls()).toEqual([
      'https://example.org/1/facts.bin',
      'https://example.org/1/manifest.json',
      'https://example.org/facts.bin',
      'https://example.org/manifest.json',
    ]);
    for (const name of ['a', 'b', 'c', 'd']) await open(`https://example.org/${name}`);
    const folders = new Set(urls().map((url) => url.slice(0, url.lastIndexOf('/'))));
    expect([...folders]).toEqual(['a', 'b', 'c', 'd'].map((name) => `https://example.org/${name}`));
  });

  it('go away where their opening never ended, and stay where it was without a network', async () => {
    const { caches, entries } = memoryCaches();
    const open = async (address: string, fetch: Fetch): Promise<void> => {
      const source = fetchSource(address, { fetch, caches, backOff: 1e9 });
      await source.read('manifest.json');
      await source.keep!(manifest);
    };
    const names = (): string[] => [...entries.keys()].map((url) => url.split('/')[3]!);
    const { fetch } = answering(file);
    entries.set('https://example.org/half/facts.bin', leftOver());
    for (const name of ['a', 'b', 'c', 'd']) await open(`https://example.org/${name}`, fetch);
    expect(names()).toEqual(['a', 'b', 'c', 'd']);
    await open('https://example.org/a', answering(broken).fetch);
    await open('https://example.org/e', fetch);
    expect(names()).toEqual(['c', 'd', 'a', 'e']);
  });

  it('of a bundle that another tab is opening stay, but for no longer than a day', async () => {
    const { caches, entries } = memoryCaches();
    const fetch: Fetch = async (url) =>
      new Response(Uint8Array.from(await original.read(url.slice(url.lastIndexOf('/') + 1))));
    const slow = fetchSource('https://example.org/slow', { fetch, caches });
    const { bytes, sha256 } = manifest.files['facts.bin']!;
    await slow.read('facts.bin', bytes, sha256);
    const openOther = async (): Promise<void> => {
      const source = fetchSource('https://example.org/other', { fetch, caches });
      await source.read('manifest.json');
      await source.keep!(manifest);
    };
    await openOther();
    expect([...entries.keys()]).toContain('https://example.org/slow/facts.bin');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 25 * 60 * 60 * 1000 });
    try {
      await openOther();
      // Nobody waits for what is only put in order.
      await vi.waitFor(() =>
        expect([...entries.keys()]).toEqual(['https://example.org/other/manifest.json']),
      );
    } finally {
      vi.useRealTimers();
    }
  });

  it('stand for no manifest whose server is overloaded for a moment', async () => {
    const { caches } = memoryCaches();
    const first = fetchSource('https://example.org', { fetch: answering(file).fetch, caches });
    await first.read('manifest.json');
    await first.keep!(manifest);
    const { asked, fetch } = answering(
      () => new Response('', { status: 503 }),
      () => new Response('newer'),
    );
    const source = fetchSource('https://example.org', { fetch, caches, backOff: 0 });
    expect(new TextDecoder().decode(await source.read('manifest.json'))).toBe('newer');
    expect(asked).toHaveLength(2);
  });

  it.each<[string, unknown]>([
    ['has no list', undefined],
    [
      'refuses to list, as that of Workers',
      () => {
        throw new Error('not implemented');
      },
    ],
  ])('are replaced by those of another version in a store that %s', async (_, keys) => {
    const { caches, entries } = memoryCaches({ keys });
    entries.set('https://example.org/facts.bin', leftOver());
    const heard: unknown[] = [];
    const onWarning = (warning: Error): unknown => heard.push(warning);
    for (const expected of [['manifest.json', 'facts.bin'], ['manifest.json']]) {
      const { asked, fetch } = serving();
      const source = fetchSource('https://example.org', { fetch, caches, onWarning });
      await source.read('manifest.json');
      const verified = await verifyProfile(source, manifest, 'fp32');
      expect(await verified.read('facts.bin')).toEqual(await original.read('facts.bin'));
      await source.keep!(manifest);
      expect(asked).toEqual(expected);
    }
    expect(heard).toEqual([]);
    expect([...entries.keys()].sort()).toEqual([
      'https://example.org/facts.bin',
      'https://example.org/manifest.json',
    ]);
  });

  it('are kept of nothing that is not what its digest says, whoever compares', async () => {
    const { caches, entries } = memoryCaches();
    const source = fetchSource('https://example.org', { fetch: answering(file).fetch, caches });
    await source.read('facts.bin', 100, manifest.files['facts.bin']!.sha256);
    expect(entries.size).toBe(0);
  });

  it('are done without where none can be kept, which is said once', async () => {
    const { caches, entries } = memoryCaches({ fail: new Error('quota exceeded') });
    const heard: string[] = [];
    const source = fetchSource('https://example.org', {
      fetch: serving().fetch,
      caches,
      onWarning: ({ message }) => heard.push(message),
    });
    const verified = await verifyProfile(source, manifest, 'fp32');
    for (const path of ['facts.bin', 'evidence.json'])
      expect(await verified.read(path)).toEqual(await original.read(path));
    expect(heard).toEqual(['no copies of the bundle are kept: quota exceeded']);
    expect(entries.size).toBe(0);
  });
});
