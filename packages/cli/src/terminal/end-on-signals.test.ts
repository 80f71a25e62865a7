import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { endOnSignals, type Signalled } from './end-on-signals.ts';

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s ends a command with %d, unless that listens itself', (signal, code) => {
  const ended: (number | string | null | undefined)[] = [];
  const shown: string[] = [];
  const emitter = new EventEmitter();
  const of = Object.assign(emitter, { exit: (with_?: number | string | null) => ended.push(with_) });
  endOnSignals({ status: (line) => shown.push(line) }, of as unknown as Signalled);
  const listen = (): void => {};
  emitter.on(signal, listen);
  emitter.emit(signal);
  expect({ ended, shown }).toEqual({ ended: [], shown: [] });
  emitter.off(signal, listen);
  emitter.emit(signal);
  expect({ ended, shown }).toEqual({ ended: [code], shown: [''] });
});
