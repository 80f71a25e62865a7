import { countStopRequests } from './stop-requests.ts';
import type { Terminal } from './terminal.ts';

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs `work` with a signal that Ctrl-C raises, so that it can stop where nothing is lost. SIGTERM raises it, too, and SIGHUP, which comes
 * where a terminal or a connection to it is closed.
 *
 * A second Ctrl-C ends the process at once.
 */
export async function interruptible<T>(
  terminal: Terminal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const requests = countStopRequests();
  const stop = (): void => {
    if (requests() > 1) process.exit(130);
    if (controller.signal.aborted) return;
    terminal.note('Stopping at the next safe point; press Ctrl-C again to stop at once.');
    controller.abort();
  };
  for (const name of stopSignals) process.on(name, stop);
  try {
    return await work(controller.signal);
  } finally {
    for (const name of stopSignals) process.off(name, stop);
  }
}
