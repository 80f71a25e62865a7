import { afterEach, describe, expect, it, vi } from 'vitest';
import type { FromProcess } from './process-messages.ts';
import { createSiblingLink } from './sibling-link.ts';

function openLink() {
  const sent: FromProcess[] = [];
  let hear = (_message: unknown): void => {};
  const link = createSiblingLink({
    send: (message) => void sent.push(message),
    listen: (given) => {
      hear = given;
    },
  });
  return { link, sent, tell: (message: unknown) => hear(message) };
}

afterEach(() => {
  vi.useRealTimers();
});

describe('one of several processes', () => {
  it('does what it is asked for, and before it can, as soon as it can', () => {
    const { link, tell } = openLink();
    const [onStop, onReload] = [vi.fn(), vi.fn()];
    tell({ fuzzqe: 'reload' });
    link.onStop(onStop);
    link.onReload(onReload);
    expect([onStop, onReload].map((each) => each.mock.calls.length)).toEqual([0, 1]);
    tell({ fuzzqe: 'reload' });
    tell({ cmd: 'of somebody else' });
    tell('text');
    expect([onStop, onReload].map((each) => each.mock.calls.length)).toEqual([0, 2]);
    tell({ fuzzqe: 'stop' });
    expect([onStop, onReload].map((each) => each.mock.calls.length)).toEqual([1, 2]);
  });

  it.each([
    ['it was told to', { fuzzqe: 'stop' }],
    ['the other process has gone', undefined],
  ])('stops where %s before it began', (_, message) => {
    const { link, tell } = openLink();
    const onStop = vi.fn();
    tell(message);
    link.onStop(onStop);
    expect(onStop).toHaveBeenCalledOnce();
  });

  it('tells what it has counted, and learns what all have', async () => {
    const { link, sent, tell } = openLink();
    const [one, two] = [[{ name: 'a' }], [{ name: 'b' }]];
    const gather = link.shareCounts(async () => one);
    tell({ fuzzqe: 'count', id: 7 });
    await expect.poll(() => sent).toEqual([{ fuzzqe: 'counts', id: 7, counts: one }]);
    const gathered = Promise.all([gather(), gather()]);
    expect(sent.slice(1)).toEqual([
      { fuzzqe: 'gather', id: 1 },
      { fuzzqe: 'gather', id: 2 },
    ]);
    tell({ fuzzqe: 'counted', id: 2, all: [two] });
    tell({ fuzzqe: 'counted', id: 1, all: [one, two] });
    tell({ fuzzqe: 'counted', id: 1, all: [] });
    expect(await gathered).toEqual([[one, two], [two]]);
  });

  it('gives up where nobody answers: what it knows alone would be too little', async () => {
    vi.useFakeTimers();
    const { link } = openLink();
    const gathered = expect(link.shareCounts(async () => [])()).rejects.toMatchObject({
      code: 'runtime',
      passing: true,
    });
    await vi.advanceTimersByTimeAsync(5000);
    await gathered;
  });
});
