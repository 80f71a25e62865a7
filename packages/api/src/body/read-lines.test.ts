import { describe, expect, it } from 'vitest';
import { type LineLimits, readLines } from './read-lines.ts';

/** What is read of a body that comes in pieces of so many bytes: of each line its number and its text, or that it is too long. */
async function linesOf(text: string, limits: Partial<LineLimits>, piece = 2): Promise<unknown[]> {
  const bytes = new TextEncoder().encode(text);
  const body = new ReadableStream<Uint8Array>({
    start(to) {
      for (let at = 0; at < bytes.length; at += piece) to.enqueue(bytes.slice(at, at + piece));
      to.close();
    },
  });
  const found: unknown[] = [];
  const read = readLines(body, { line: 100, body: 100, lines: 100, ...limits });
  for await (const line of read)
    found.push([line.number, line.bytes === undefined ? 'too long' : new TextDecoder().decode(line.bytes)]);
  return found;
}

describe('the lines of a body', () => {
  it('may be as long as the limit says, and are passed over where they are longer', async () => {
    for (const piece of [1, 2, 3, 100])
      expect(await linesOf('abcd\nabcde\n\nab', { line: 4 }, piece)).toEqual([
        [1, 'abcd'],
        [2, 'too long'],
        [4, 'ab'],
      ]);
  });

  it('may be as many as the limit says, empty ones not counted, in as many bytes', async () => {
    const text = 'a\n \r\nb\n';
    expect(await linesOf(text, { lines: 2, body: text.length })).toHaveLength(2);
    await expect(linesOf(text, { lines: 1 })).rejects.toMatchObject({ code: 'too-large' });
    await expect(linesOf(text, { body: text.length - 1 })).rejects.toMatchObject({ code: 'too-large' });
  });
});
