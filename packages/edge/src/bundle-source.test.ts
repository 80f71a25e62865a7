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

  it('takes the length of a compressed answer for what it is', async () => {
    const headers = { 'content-length': '4', 'content-encoding': 'gzip' };
    const { fetch } = answering(() => new Response('weights', { headers }));
    expect(await fetchSource('https://example.org', fetch).read('facts.bin')).toHaveLength(7);
  });
});
