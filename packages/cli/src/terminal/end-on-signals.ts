import type { Terminal } from './terminal.ts';

/** Of a process, what hears signals and ends it. */
export type Signalled = Pick<NodeJS.Process, 'on' | 'listenerCount' | 'exit'>;

/** What a shell says of a process that a signal ended: 128 and its number. */
const codes = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Ends a process on Ctrl-C or SIGTERM with a clean line, unless the command listens itself since it can stop safely.
 *
 * SIGTERM, too: the first process of a container is not ended by it otherwise.
 */
export function endOnSignals(terminal: Pick<Terminal, 'status'>, of: Signalled = process): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    of.on(signal, () => {
      if (of.listenerCount(signal) > 1) return;
      terminal.status('');
      of.exit(codes[signal]);
    });
}
