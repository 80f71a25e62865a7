import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { watchNpx } from './watch-npx.ts';

/** As npm 11 sets it. */
const npx = { npm_command: 'exec', npm_lifecycle_event: 'npx', npm_lifecycle_script: "'fuzzqe'" };

describe('a command that npx started', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function start(environment: Record<string, string>) {
    let parent = 41;
    const end = vi.fn();
    const stop = watchNpx(end, { environment, parent: () => parent, every: 10 });
    return {
      ...{ end, stop },
      loseParent(): void {
        parent = 1;
        vi.advanceTimersByTime(30);
      },
    };
  }

  it('ends once when its parent does, and not before', () => {
    const { end, loseParent } = start(npx);
    vi.advanceTimersByTime(100);
    expect(end).not.toHaveBeenCalled();
    loseParent();
    loseParent();
    expect(end).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['without npm', {}],
    [
      'by a script of npm',
      { ...npx, npm_lifecycle_event: 'start', npm_lifecycle_script: 'fuzzqe serve x &' },
    ],
    ['by another command of npx', { ...npx, npm_lifecycle_script: "'pm2'" }],
  ])('is not watched if it was started %s', (_, environment) => {
    const { end, loseParent } = start(environment);
    loseParent();
    expect(end).not.toHaveBeenCalled();
  });

  it('is not watched any more after it closed', () => {
    const { end, stop, loseParent } = start(npx);
    stop();
    loseParent();
    expect(end).not.toHaveBeenCalled();
  });
});
