import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { writeJson } from './write-json.ts';

/** A value with as many members as an answer that takes long. */
const long = (member: unknown): unknown => ({
  mode: 'sets',
  answers: Array.from({ length: 3000 }, (_, id) => ({ id, member, left: undefined })),
  parts: [member, Array.from({ length: 2500 }, (_, i) => i), []],
  none: undefined,
});

describe('writing JSON', () => {
  afterEach(() => vi.restoreAllMocks());

  it('writes what is long as JSON.stringify does', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 3 }), async (member) => {
        for (const value of [member, long(member), [long(member), long(member)]])
          expect(await writeJson(value, {})).toBe(JSON.stringify(value));
      }),
      { numRuns: 20 },
    );
  });

  it('writes what is long in pieces, and what is short at once', async () => {
    const { stringify } = JSON;
    const lengths: number[] = [];
    vi.spyOn(JSON, 'stringify').mockImplementation((value: unknown) => {
      const text = stringify(value);
      lengths.push(text.length);
      return text;
    });
    const short = { answers: [{ id: 1 }] };
    expect(await writeJson(short, {})).toBe('{"answers":[{"id":1}]}');
    expect(lengths).toEqual([22]);
    lengths.length = 0;
    const text = await writeJson(long('x'), {});
    expect(lengths.length).toBeGreaterThan(4);
    expect(Math.max(...lengths)).toBeLessThan(text.length / 3);
  });

  it('ends where nobody waits for it', async () => {
    await expect(writeJson(long('x'), { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'interrupted',
    });
  });
});
