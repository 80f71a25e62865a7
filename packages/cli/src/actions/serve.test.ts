import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Terminal } from '../terminal/terminal.ts';
import { type Stoppable, untilStopped } from './serve.ts';

const terminal: Terminal = { out: () => {}, note: () => {}, status: () => {}, columns: 80, live: false };

afterEach(() => {
  vi.restoreAllMocks();
});

describe('SIGHUP while a server begins', () => {
  const kill = (): ReturnType<typeof vi.spyOn> =>
    vi.spyOn(process, 'kill').mockImplementation((_, signal) => {
      // Without a listener the system would end the process.
      process.emit(signal as NodeJS.Signals, signal as NodeJS.Signals);
      return true;
    });

  it('has it read again what it was made of, once it has begun', async () => {
    kill();
    const before = process.listenerCount('SIGHUP');
    const reload = vi.fn(() => Promise.resolve());
    let begin = (_begun: Stoppable): void => {};
    const ended = untilStopped(terminal, () => new Promise<Stoppable>((resolve) => (begin = resolve)));
    expect(process.listenerCount('SIGHUP')).toBe(before + 1);
    process.emit('SIGHUP', 'SIGHUP');
    begin({ close: () => Promise.resolve(), reload });
    await expect.poll(() => reload.mock.calls.length).toBe(1);
    process.emit('SIGHUP', 'SIGHUP');
    expect(reload).toHaveBeenCalledTimes(2);
    process.emit('SIGTERM', 'SIGTERM');
    await ended;
    expect(process.listenerCount('SIGHUP')).toBe(before);
  });

  it('ends what has nothing to read again', async () => {
    const killed = kill();
    const before = process.listenerCount('SIGHUP');
    const ended = untilStopped(terminal, async () => {
      process.emit('SIGHUP', 'SIGHUP');
      return { close: () => Promise.resolve() };
    });
    await expect.poll(() => killed.mock.calls).toEqual([[process.pid, 'SIGHUP']]);
    expect(process.listenerCount('SIGHUP')).toBe(before);
    process.emit('SIGTERM', 'SIGTERM');
    await ended;
  });
});
