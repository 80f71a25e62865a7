import { FuzzError } from '@fuzzqe/core';
import { describe, expect, it } from 'vitest';
import { createOpening } from './opening.ts';

describe('an opening', () => {
  it('is done once for requests that come together, and goes on without the one that began it', async () => {
    const kept: Promise<unknown>[] = [];
    const context = { waitUntil: (work: Promise<unknown>): unknown => kept.push(work) };
    let opened = 0;
    let settle = (_: string): void => undefined;
    const opening = createOpening(() => {
      opened += 1;
      return new Promise<string>((resolve) => {
        settle = resolve;
      });
    });
    const all = Promise.all([opening.get(context), opening.get(context)]);
    settle('open');
    expect(await all).toEqual(['open', 'open']);
    expect(await opening.get(context)).toBe('open');
    expect(opened).toBe(1);
    expect(kept).toHaveLength(3);
  });

  it.each([
    ['bundle', 2],
    ['storage', 2],
    ['runtime', 1],
    ['usage', 1],
  ] as const)('that failed with %s is tried %d times by two requests', async (code, times) => {
    let opened = 0;
    const opening = createOpening(async () => {
      opened += 1;
      throw new FuzzError(code, 'it failed');
    });
    await expect(opening.get()).rejects.toMatchObject({ code });
    await expect(opening.get()).rejects.toMatchObject({ code });
    expect(opened).toBe(times);
  });

  it('that nobody goes on with is given up, and begun again by the next request', async () => {
    let opened = 0;
    const opening = createOpening(
      () => {
        opened += 1;
        return opened === 1 ? new Promise<string>(() => undefined) : Promise.resolve('open');
      },
      { openTimeout: 1 },
    );
    await expect(opening.get()).rejects.toMatchObject({ code: 'deadline' });
    expect(await opening.get()).toBe('open');
  });

  it('that turned out to be of no use stays so', async () => {
    const opening = createOpening(async () => 'open');
    expect(await opening.get()).toBe('open');
    opening.fail(new FuzzError('parity', 'wrong answers'));
    await expect(opening.get()).rejects.toMatchObject({ code: 'parity' });
  });
});
