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

  it('that is slower than requests wait goes on for those to come', async () => {
    let settle = (_: string): void => undefined;
    let opened = 0;
    const slow = (): Promise<string> => {
      opened += 1;
      return new Promise((resolve) => {
        settle = resolve;
      });
    };
    const opening = createOpening(slow, { openTimeout: 1 });
    await expect(opening.get({ waitUntil: () => undefined })).rejects.toMatchObject({ code: 'deadline' });
    await expect(opening.get()).rejects.toMatchObject({ code: 'deadline' });
    settle('open');
    expect(await opening.get()).toBe('open');
    expect(opened).toBe(1);
  });

  it('whose request has gone for good is begun again by the next one, and hears that it is not wanted', async () => {
    let time = 0;
    const wanted: (() => boolean)[] = [];
    const opening = createOpening(
      (isWanted) => {
        wanted.push(isWanted);
        return wanted.length === 1 ? new Promise<string>(() => undefined) : Promise.resolve('open');
      },
      { openTimeout: 1, now: () => time },
    );
    const context = { waitUntil: () => undefined };
    await expect(opening.get(context)).rejects.toMatchObject({ code: 'deadline' });
    time = 30_001;
    await expect(opening.get(context)).rejects.toMatchObject({ code: 'deadline' });
    time = 30_002;
    expect(await opening.get(context)).toBe('open');
    expect(wanted.map((isWanted) => isWanted())).toEqual([false, true]);
    time = 10 ** 9;
    expect(await opening.get(context)).toBe('open');
    // A request that held another one drops nothing.
    opening.drop('another');
    await opening.get(context);
    expect(wanted).toHaveLength(2);
    opening.drop('open');
    await opening.get(context);
    expect(wanted).toHaveLength(3);
  });

  it('outside of Workers is not begun again, however long it takes', async () => {
    let [time, opened] = [0, 0];
    const slow = (): Promise<string> => {
      opened += 1;
      return new Promise(() => undefined);
    };
    const opening = createOpening(slow, { openTimeout: 1, now: () => time });
    await expect(opening.get()).rejects.toMatchObject({ code: 'deadline' });
    time = 10 ** 9;
    await expect(opening.get()).rejects.toMatchObject({ code: 'deadline' });
    expect(opened).toBe(1);
  });

  it('that was given up and fails does not end the one that was begun after it', async () => {
    let time = 0;
    const ends: { resolve(value: string): void; reject(error: Error): void }[] = [];
    const opening = createOpening(
      () => new Promise<string>((resolve, reject) => void ends.push({ resolve, reject })),
      { openTimeout: 1, now: () => time },
    );
    const context = { waitUntil: () => undefined };
    await expect(opening.get(context)).rejects.toMatchObject({ code: 'deadline' });
    time = 30_002;
    const second = opening.get(context);
    ends[0]!.reject(new Error('its request has gone'));
    await Promise.resolve();
    ends[1]!.resolve('open');
    expect(await second).toBe('open');
    expect(await opening.get(context)).toBe('open');
    expect(ends).toHaveLength(2);
  });

  it('that turned out to be of no use stays so', async () => {
    const opening = createOpening(async () => 'open');
    expect(await opening.get()).toBe('open');
    opening.fail(new FuzzError('parity', 'wrong answers'));
    await expect(opening.get()).rejects.toMatchObject({ code: 'parity' });
  });
});
