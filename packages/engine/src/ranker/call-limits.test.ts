import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { whenOver } from './call-limits.ts';

describe('a call that waits', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it.each([
    ['interrupted', (abort: AbortController) => abort.abort('left')],
    ['deadline', () => vi.advanceTimersByTime(40)],
  ] as const)('hears of its end where that is %s, and not once it has ended', (reason, happen) => {
    const abort = new AbortController();
    const limits = { signal: abort.signal, deadline: performance.now() + 40 };
    const [end, none] = [vi.fn(), vi.fn()];
    whenOver(limits, end);
    whenOver(limits, none)();
    expect(vi.getTimerCount()).toBe(1);
    happen(abort);
    expect(end.mock.calls).toEqual([[expect.objectContaining({ code: reason }), reason]]);
    expect(none).not.toHaveBeenCalled();
  });

  it('has no timer without a deadline, nor for one that no timer can wait for', () => {
    whenOver({}, () => expect.unreachable())();
    whenOver({ deadline: performance.now() + 2 ** 32 }, () => expect.unreachable());
    expect(vi.getTimerCount()).toBe(0);
  });
});
