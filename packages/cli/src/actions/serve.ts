import { openEngine } from '@fuzzqe/engine';
import { bundleFolder, folderSource, nodeSessions, type RunningServer, startServer } from '@fuzzqe/serve';
import type { ServeFlags } from '../commands/serve.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Does `fuzzqe serve`. */
export async function serveBundle(terminal: Terminal, bundle: string, flags: ServeFlags): Promise<void> {
  const folder = await bundleFolder(bundle);
  const engine = await openEngine({
    source: folderSource(folder),
    profile: flags.profile,
    sessions: nodeSessions(folder, {
      device: flags.device,
      ...(flags.threads === undefined ? {} : { threads: flags.threads }),
    }),
  });
  const server = await startServer({ engine, port: flags.port, host: flags.host });
  terminal.note(`Serving ${engine.manifest.name} on ${server.url} (${engine.runtime})`);
  await untilStopped(terminal, server);
}

/** Waits for Ctrl-C, then lets the requests under way finish. */
export async function untilStopped(terminal: Terminal, server: RunningServer): Promise<void> {
  await new Promise<void>((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  terminal.note('Closing.');
  await server.close();
}
