import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { interruptible } from './interrupt.ts';
import type { Terminal } from './terminal.ts';

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'stops safely on %s, and hears it no longer afterwards',
  async (name) => {
    const terminal: Terminal = { out: () => {}, note: () => {}, status: () => {}, live: false, columns: 80 };
    const before = process.listenerCount(name);
    const aborted = await interruptible(terminal, async (signal) => {
      process.emit(name, name);
      return signal.aborted;
    });
    expect(aborted).toBe(true);
    expect(process.listenerCount(name)).toBe(before);
  },
);

it('takes signals that come together for one request, and ends at once on a later one', async () => {
  const notes: string[] = [];
  const terminal: Terminal = {
    out: () => {},
    note: (line) => notes.push(line),
    status: () => {},
    live: false,
    columns: 80,
  };
  const codes: unknown[] = [];
  const exit = vi.spyOn(process, 'exit').mockImplementation((code) => {
    codes.push(code);
    return undefined as never;
  });
  try {
    const aborted = await interruptible(terminal, async (signal) => {
      // As `timeout` does it: to the process, then to its group.
      process.emit('SIGTERM', 'SIGTERM');
      process.emit('SIGTERM', 'SIGTERM');
      expect({ notes: notes.length, codes }).toEqual({ notes: 1, codes: [] });
      await wait(250);
      process.emit('SIGTERM', 'SIGTERM');
      expect(codes).toEqual([130]);
      return signal.aborted;
    });
    expect(aborted).toBe(true);
  } finally {
    exit.mockRestore();
  }
});
