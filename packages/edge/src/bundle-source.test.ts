import { describe, expect, it } from 'vitest';
import { fetchSource } from './index.ts';

const answering = (response: () => Response) => {
  const asked: string[] = [];
  return {
    asked,
    fetch: async (url: string): Promise<Response> => {
      asked.push(url);
      return response();
    },
  };
};

describe('fetchSource', () => {
  it('reads a file under the address, with or without a slash at its end', async () => {
    for (const address of ['https://example.org/bundle', new URL('https://example.org/bundle/')]) {
      const { asked, fetch } = answering(() => new Response('weights'));
      const bytes = await fetchSource(address, fetch).read('models/fp32/a b.bin');
      expect(new TextDecoder().decode(bytes)).toBe('weights');
      expect(asked).toEqual(['https://example.org/bundle/models/fp32/a%20b.bin']);
    }
  });

  it.each([
    [
      'a status that is no success',
      () => new Response('', { status: 404, statusText: 'Not Found' }),
      /status 404/,
    ],
    [
      'a file cut off',
      () => new Response('weig', { headers: { 'content-length': '7' } }),
      /expected 7 bytes, got 4/,
    ],
    [
      'a failed connection',
      () => Promise.reject(new TypeError('fetch failed')) as never,
      /no answer: fetch failed/,
    ],
  ])('refuses %s, and names the address', async (_, response, message) => {
    const { fetch } = answering(response);
    await expect(fetchSource('https://example.org', fetch).read('facts.bin')).rejects.toMatchObject({
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
    await expect(fetchSource('https://example.org', fetch).read('facts.bin', 6)).rejects.toMatchObject({
      code: 'bundle',
      message: 'too long: expected at most 6 bytes',
    });
  });

  it('reads what has as many bytes as it may, or fewer', async () => {
    for (const most of [7, 8, 100]) {
      const { fetch } = answering(() => new Response(new Blob(['weights']).stream()));
      const bytes = await fetchSource('https://example.org', fetch).read('facts.bin', most);
      expect(new TextDecoder().decode(bytes)).toBe('weights');
    }
  });

  it('takes the length of a compressed answer for what it is', async () => {
    const headers = { 'content-length': '4', 'content-encoding': 'gzip' };
    const { fetch } = answering(() => new Response('weights', { headers }));
    expect(await fetchSource('https://example.org', fetch).read('facts.bin')).toHaveLength(7);
  });
});
