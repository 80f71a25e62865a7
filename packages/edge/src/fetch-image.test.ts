import { describe, expect, it } from 'vitest';
import { fetchImage } from './fetch-image.ts';
import { writeRuntimeImage } from './record-image.ts';
import type { RuntimeStart } from './runtime-image.ts';

const content = Uint8Array.of(1, 2, 3);
const answer = async (): Promise<Response> =>
  new Response(Uint8Array.from(await writeRuntimeImage('1.30.0', content)));

describe('the image of the runtime', () => {
  it('is what the runtime begins from', async () => {
    const start: RuntimeStart = {};
    await fetchImage(start, answer, '1.30.0');
    expect(start.image).toEqual(content);
  });

  it('is not kept by a runtime that began while it came, and not asked for by one that began before', async () => {
    const start: RuntimeStart = {};
    await fetchImage(
      start,
      () => {
        start.begun = true;
        return answer();
      },
      '1.30.0',
    );
    expect(start.image).toBeUndefined();
    await fetchImage(start, () => expect.unreachable(), '1.30.0');
  });

  it.each<[string, () => Promise<Response>, string]>([
    ['that never comes', () => new Promise(() => undefined), 'not there after'],
    ['that stops', async () => new Response(new ReadableStream({})), 'not there after'],
    [
      'that is too long',
      async () => new Response('', { headers: { 'content-length': `${2 ** 25}` } }),
      'expected at most 16777216 bytes, got 33554432',
    ],
    [
      'of another version',
      async () => new Response(Uint8Array.from(await writeRuntimeImage('1.31.0', content))),
      'expected 1.30.0 ',
    ],
  ])('%s is done without, and the reason said', async (_, fetch, why) => {
    const start: RuntimeStart = {};
    const isStalled = why.startsWith('not there');
    await expect(fetchImage(start, fetch, '1.30.0', isStalled ? 20 : 10_000)).rejects.toMatchObject({
      code: 'runtime',
      message: expect.stringMatching(why),
    });
    expect(start).toEqual({});
  });
});
