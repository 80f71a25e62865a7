import { EventEmitter } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { processTerminal, type TextStream } from './terminal.ts';

function streams(columns?: number): { written: string[]; stream: TextStream } {
  const written: string[] = [];
  const stream = {
    write: (text: string) => void written.push(text),
    on: () => undefined,
    ...(columns === undefined ? {} : { columns }),
  };
  return { written, stream };
}

describe('the terminal', () => {
  it('writes control characters out, whoever brought them', () => {
    const { written, stream } = streams();
    const terminal = processTerminal(stream, stream);
    const name = 'a\u001b[2Jb\r\u009b1mc\u007f\u202ed';
    terminal.out(name);
    terminal.note(name);
    terminal.status(name);
    const shown = 'a\\u001b[2Jb\\u000d\\u009b1mc\\u007f\\u202ed';
    expect(written).toEqual([`${shown}\n`, `${shown}\n`, shown]);
  });

  it('leaves JSON, line ends and names of any script as they are', () => {
    const { written, stream } = streams();
    const value = { name: 'a\u009b1m', other: 'Việt Nam 日本\tב' };
    processTerminal(stream, stream).out(JSON.stringify(value));
    processTerminal(stream, stream).out('one\ntwo\t日本');
    expect(JSON.parse(written[0]!)).toEqual(value);
    expect(written[0]).not.toContain('\u009b');
    expect(written[1]).toBe('one\ntwo\t日本\n');
  });

  it('is 80 columns wide where nobody says how wide it is', () => {
    expect(processTerminal(streams().stream, streams().stream).columns).toBe(80);
    expect(processTerminal(streams(0).stream, streams(0).stream).columns).toBe(80);
    expect(processTerminal(streams(120).stream, streams(60).stream).columns).toBe(120);
  });
});

it('ends with the exit code of a disk when standard output cannot be written, without a stack trace', () => {
  const stream = new EventEmitter();
  const [notes, codes]: [string[], unknown[]] = [[], []];
  const exit = vi.spyOn(process, 'exit').mockImplementation((code) => {
    codes.push(code);
    return undefined as never;
  });
  const on = (event: string, listener: (error: NodeJS.ErrnoException) => void): unknown =>
    stream.on(event, listener);
  processTerminal({ write: () => true, on }, { write: (text) => notes.push(text), on: () => {} });
  stream.emit('error', Object.assign(new Error('no space left'), { code: 'ENOSPC' }));
  exit.mockRestore();
  expect({ notes, codes }).toEqual({
    notes: ['fuzzqe: standard output: cannot be written (ENOSPC)\n'],
    codes: [9],
  });
});

it('goes on where nobody reads its results any more, and writes no further ones', () => {
  const stream = new EventEmitter();
  const written: string[] = [];
  const exit = vi.spyOn(process, 'exit').mockImplementation(() => undefined as never);
  const terminal = processTerminal(
    { write: (text) => written.push(text), on: (event, listener) => stream.on(event, listener) },
    { write: (text) => written.push(text), on: () => undefined },
  );
  terminal.out('first');
  stream.emit('error', Object.assign(new Error('broken pipe'), { code: 'EPIPE' }));
  terminal.out('second');
  terminal.note('noted');
  expect(exit).not.toHaveBeenCalled();
  exit.mockRestore();
  expect(written).toEqual(['first\n', 'noted\n']);
});

it('goes on where nobody reads what it notes', () => {
  const stream = new EventEmitter();
  const notes: string[] = [];
  const stderr: TextStream = {
    write: (text) => notes.push(text),
    on: (event, listener) => stream.on(event, listener),
  };
  const terminal = processTerminal({ write: () => true, on: () => undefined }, stderr);
  stream.emit('error', Object.assign(new Error('broken pipe'), { code: 'EPIPE' }));
  terminal.note('closing');
  expect(notes).toEqual(['closing\n']);
});
