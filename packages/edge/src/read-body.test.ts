import { describe, expect, it } from 'vitest';
import { readBody } from './read-body.ts';

const bytes = Uint8Array.from({ length: 1000 }, (_, i) => i);

/** A body whose reader keeps the memory that the end is read into, as Workers of before 2024-06-01 have it. */
function keepingBody(content: Uint8Array): Response {
  let at = 0;
  const reader = {
    async read(into: Uint8Array<ArrayBuffer>) {
      const { byteOffset, length } = into;
      const own = new Uint8Array(
        structuredClone(into.buffer, { transfer: [into.buffer] }),
        byteOffset,
        length,
      );
      const part = content.subarray(at, at + Math.min(own.length, 300));
      at += part.length;
      own.set(part);
      return part.length === 0
        ? { value: undefined, done: true }
        : { value: own.subarray(0, part.length), done: false };
    },
    cancel: async () => undefined,
  };
  // What is used of it.
  return { body: { getReader: () => reader } } as unknown as Response;
}

const read = (response: Response, size: number | undefined, most = 2000): Promise<Uint8Array> =>
  readBody(response, {
    most,
    size,
    tooLong: () => new Error('too long'),
    heard: () => undefined,
    signal: new AbortController().signal,
  });

describe.each<[string, () => Response]>([
  ['that is given back with the memory of its end', () => new Response(bytes)],
  ['that keeps the memory of its end', () => keepingBody(bytes)],
  [
    'without memory of its reader',
    () =>
      new Response(
        new ReadableStream({
          start(to) {
            for (let at = 0; at < 1000; at += 300) to.enqueue(bytes.slice(at, at + 300));
            to.close();
          },
        }),
      ),
  ],
])('a body %s', (_, response) => {
  it.each([1000, undefined, 0, 400])('is whole where its size is said to be %s', async (size) => {
    expect(await read(response(), size)).toEqual(bytes);
  });

  it('is refused where it is longer than it may be', async () => {
    await expect(read(response(), 999, 999)).rejects.toThrow('too long');
  });
});

it('a body that ends early in memory that is kept says how much came', async () => {
  await expect(read(keepingBody(bytes), 1001)).rejects.toThrow('expected 1001 bytes, got 1000');
});

it('a body that nobody wants any more is cancelled, and its bytes are not heard', async () => {
  const abort = new AbortController();
  const heard: number[] = [];
  let cancelled = false;
  let give = (): void => undefined;
  const body = new ReadableStream<Uint8Array>({
    start(to) {
      give = () => to.enqueue(new Uint8Array(10));
    },
    cancel() {
      cancelled = true;
    },
  });
  const reading = readBody(new Response(body), {
    most: 100,
    size: undefined,
    tooLong: () => new Error('too long'),
    heard(length) {
      heard.push(length);
      abort.abort(new Error('not wanted'));
      if (!cancelled) give();
    },
    signal: abort.signal,
  });
  give();
  await expect(reading).rejects.toThrow('not wanted');
  expect({ heard, cancelled }).toEqual({ heard: [10], cancelled: true });
});
