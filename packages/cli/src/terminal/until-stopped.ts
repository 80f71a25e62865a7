import type { Log } from '@fuzzqe/serve';
import { countStopRequests } from './stop-requests.ts';
import type { Terminal } from './terminal.ts';

/** What a signal may end, or have read again what it was made of. */
export interface Stoppable {
  close(): Promise<void>;
  reload?(): Promise<void>;
  /** Ends it at once: it was asked for again. */
  kill?(): void;
  /** Hears that it ends, where no person is looking. */
  readonly log?: Pick<Log, 'announce'>;
}

/**
 * Begins something and waits for Ctrl-C or SIGTERM, then lets what is under way finish; a second signal ends the process at once.
 *
 * Signals are heard from before the beginning on: what SIGHUP asks for meanwhile is done once it has begun. Where what follows it fails, it has ended by itself, and that is the error.
 */
export async function untilStopped<T extends Stoppable>(
  terminal: Terminal,
  begin: () => Promise<T>,
  begun: (begun: T) => Promise<void> = async () => {},
): Promise<void> {
  const signals = ['SIGINT', 'SIGTERM'] as const;
  let stop = (): void => {};
  let fail = (_cause: unknown): void => {};
  const asked = new Promise<void>((resolve, reject) => {
    stop = resolve;
    fail = reject;
  });
  const requests = countStopRequests();
  const hear = (signal: NodeJS.Signals): void => {
    stop();
    if (requests() === 1) return;
    kill?.();
    // Not process.exit: it waits for threads, which abort the process where they compute.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    // The first process of a container is not ended by its own signal.
    setTimeout(() => process.exit(130), 100);
  };
  let reload: (() => void) | undefined;
  let kill: (() => void) | undefined;
  let wasToReload = false;
  const renew = (): void => {
    if (reload === undefined) wasToReload = true;
    else reload();
  };
  for (const signal of signals) process.on(signal, hear);
  process.on('SIGHUP', renew);
  try {
    const stoppable = await begin();
    kill = () => stoppable.kill?.();
    if (stoppable.reload === undefined) process.off('SIGHUP', renew);
    else reload = () => void stoppable.reload?.();
    // What has nothing to read again is ended by it, as any process.
    if (wasToReload) process.kill(process.pid, 'SIGHUP');
    begun(stoppable).catch(fail);
    await asked;
    if (terminal.live || stoppable.log === undefined) terminal.note('Closing.');
    else stoppable.log.announce({}, 'closing');
    await stoppable.close();
  } finally {
    for (const signal of signals) process.off(signal, hear);
    process.off('SIGHUP', renew);
  }
}
