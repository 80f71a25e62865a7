import { FuzzError } from '@fuzzqe/core';
import type { IndexState } from '@fuzzqe/engine';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createIndexCalls } from '../store/index-calls.ts';
import { watchIndex } from './watch-index.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** An index that answers, does not, or holds something else, and what is heard of it. */
function watched(every: number) {
  const place = { answers: async (): Promise<void> => {}, asked: 0 };
  const told: IndexState[] = [];
  const calls = createIndexCalls({ kind: 'postgres', secrets: [] }, 't at postgres://h/d', { retries: 0 });
  const ask = (): Promise<void> => {
    place.asked += 1;
    return calls.call(() => place.answers());
  };
  const watch = watchIndex({
    name: 't at postgres://h/d',
    shown: 'The entity index t (postgres)',
    calls,
    check: ask,
    every,
    onState: (state) => told.push(state),
  });
  /** A search that is refused, or fails as all do. */
  const search = async (): Promise<unknown> => {
    try {
      watch.refuse();
      await ask();
      return undefined;
    } catch (error) {
      return error;
    } finally {
      watch.called();
    }
  };
  return { place, told, watch, search };
}

const gone = async (): Promise<void> => {
  throw new Error('connect ECONNREFUSED');
};
const other = async (): Promise<void> => {
  throw new FuzzError('bundle', 'the index is of another bundle');
};

describe('an index that is watched', () => {
  it('is away once a search was not answered: the next are refused without being tried, until it answers by itself', async () => {
    const { place, told, watch, search } = watched(5000);
    expect(await search()).toBeUndefined();
    place.answers = gone;
    expect(await search()).toMatchObject({
      code: 'runtime',
      message: expect.stringContaining('ECONNREFUSED'),
      passing: true,
    });
    expect(watch.state).toBe('away');
    const { asked } = place;
    expect(await search()).toMatchObject({
      toCallers: 'The entity index t (postgres) cannot be reached.',
    });
    expect(place.asked).toBe(asked);
    place.answers = async () => {};
    // It is looked at sooner than an index that answers.
    await vi.advanceTimersByTimeAsync(1000);
    expect(watch.state).toBe('ready');
    expect(await search()).toBeUndefined();
    expect(told).toEqual(['away', 'ready']);
    watch.close();
  });

  it('is found to be away, and to hold something else, without a search', async () => {
    const { place, told, watch, search } = watched(5000);
    place.answers = gone;
    await vi.advanceTimersByTimeAsync(5000);
    expect(watch.state).toBe('away');
    place.answers = other;
    await vi.advanceTimersByTimeAsync(3000);
    place.answers = async () => {};
    await vi.advanceTimersByTimeAsync(1000);
    expect([watch.state, told]).toEqual(['ready', ['away', 'changed', 'ready']]);
    place.answers = other;
    await vi.advanceTimersByTimeAsync(5000);
    expect(await search()).toMatchObject({
      code: 'runtime',
      toCallers: 'The entity index t (postgres) is not of this bundle any more.',
      passing: false,
    });
    watch.close();
    expect([watch.state, ((await search()) as Error).message]).toEqual([
      'closed',
      'the entity index is closed',
    ]);
  });

  it('says nothing of calls that its end cut off', async () => {
    const { place, told, watch } = watched(5000);
    let cut = (_: Error): void => {};
    place.answers = () =>
      new Promise((_, reject) => {
        cut = reject;
      });
    await vi.advanceTimersByTimeAsync(5000);
    watch.close();
    cut(new Error('connection terminated'));
    await vi.advanceTimersByTimeAsync(10_000);
    expect([told, place.asked, watch.state]).toEqual([[], 1, 'closed']);
  });

  it('is asked by every search where nobody looks at it', async () => {
    const { place, watch, search } = watched(0);
    place.answers = gone;
    await search();
    const { asked } = place;
    await vi.advanceTimersByTimeAsync(60_000);
    expect([watch.state, place.asked]).toEqual(['away', asked]);
    place.answers = async () => {};
    expect([await search(), watch.state]).toEqual([undefined, 'ready']);
  });
});
