import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';
import {
  createLog,
  createSiblingLink,
  ProcessEnded,
  type ServingProcess,
  type Settings,
  type SiblingLink,
  shareOfProcess,
  startProcesses,
} from '@fuzzqe/serve';
import type { Terminal } from '../terminal/terminal.ts';
import { untilStopped } from '../terminal/until-stopped.ts';

/** What one of several processes is to do. */
export interface SiblingTask {
  readonly settings: Settings;
  /** Whether it says where all of them serve. */
  readonly isFirst: boolean;
}

/** How a process learns what it is to do, as JSON: not by flags, since a file of settings may have changed since the others began. */
const taskVariable = 'FUZZQE_SIBLING_TASK';

/** The command that the processes run. */
const command = fileURLToPath(new URL('../../bin/fuzzqe.js', import.meta.url));

/**
 * Serves bundles by several processes until a signal ends them. This one listens, hands each of them connections in turns, and replaces those
 * that end.
 *
 * Where one cannot begin, it says why, and its exit code becomes that of this process.
 */
export async function serveByProcesses(
  terminal: Terminal,
  bundles: readonly string[],
  settings: Settings,
): Promise<void> {
  cluster.setupPrimary({ exec: command, args: ['serve', '--', ...bundles] });
  const log = createLog({ level: settings.logLevel, isShared: true });
  const start = (isFirst: boolean): ServingProcess => {
    const task: SiblingTask = { settings: shareOfProcess(settings), isFirst };
    return processOf({ [taskVariable]: JSON.stringify(task) });
  };
  try {
    await untilStopped(
      terminal,
      async () => ({ ...startProcesses({ count: settings.processes, start, log }), log }),
      ({ opened }) => opened,
    );
  } catch (error) {
    const code = error instanceof ProcessEnded ? error.end.code : null;
    // What it said stands on standard error already.
    if (code === null || code === 0) throw error;
    process.exitCode = code;
  } finally {
    log.close();
  }
}

/** A process of `node:cluster`. */
function processOf(environment: Readonly<Record<string, string>>): ServingProcess {
  const worker = cluster.fork(environment);
  // A message to one that is about to end: its end is heard by itself.
  worker.on('error', () => undefined);
  return {
    pid: worker.process.pid,
    send(message) {
      if (worker.isConnected()) worker.send(message, undefined, () => undefined);
    },
    onMessage: (hear) => void worker.on('message', hear),
    onEnd: (hear) => void worker.once('exit', (code, signal) => hear({ code, signal })),
    kill: () => void worker.process.kill('SIGKILL'),
  };
}

/** What this process is to do where it is one of several; undefined where nobody has told. */
export function takeSiblingTask(environment: NodeJS.ProcessEnv = process.env): SiblingTask | undefined {
  const text = environment[taskVariable];
  // Of what this one starts, nothing is a sibling.
  delete environment[taskVariable];
  return text === undefined ? undefined : (JSON.parse(text) as SiblingTask); // as `serveByProcesses` wrote it
}

/** What a process serves, which the one that started it may end, or have read again what it was made of. */
interface Serving {
  readonly opened: Promise<unknown>;
  close(): Promise<void>;
  reload(): Promise<void>;
}

/**
 * Serves as one of several processes until the one that started them says that it is to end, or has gone.
 *
 * Ctrl-C reaches all of them at once, and so does what ends a service of systemd: it is the same request as that of the other process,
 * which a second one has end all.
 */
export async function serveAsSibling<T extends Serving>(
  begin: (link: SiblingLink) => Promise<T>,
  begun: (serving: T) => Promise<void>,
): Promise<void> {
  // Node would end this one at once where the other has gone, whatever is under way here, and with 0 where it is left by an error.
  if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true;
  const link = createSiblingLink({
    send: (message) => void process.send?.(message, undefined, undefined, () => undefined),
    listen(hear) {
      process.on('message', hear);
      process.once('disconnect', () => hear(undefined));
    },
  });
  let stop = (): void => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const nothing = (): void => {};
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
  // Of a terminal that closes; whoever wants bundles read again asks the other process.
  process.on('SIGHUP', nothing);
  link.onStop(stop);
  try {
    const serving = await Promise.race([begin(link), stopped]);
    // Where it listens only once its bundles are open, nothing is under way here.
    if (serving === undefined) process.exit(0);
    link.onReload(() => void serving.reload());
    const opened = serving.opened.then(async () => {
      link.opened();
      await begun(serving);
    });
    await Promise.race([stopped, opened.then(() => stopped)]);
    await serving.close();
  } finally {
    process.off('SIGHUP', nothing);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop);
    if (process.connected) process.disconnect();
  }
}
