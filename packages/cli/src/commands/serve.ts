import { openEngine } from '@fuzzqe/engine';
import {
  bundleFolder,
  deviceNames,
  folderSource,
  nodeSessions,
  type RunningServer,
  startServer,
} from '@fuzzqe/serve';
import type { Command } from 'commander';
import type { Terminal } from '../terminal/terminal.ts';
import { namesOutOf, wholeNumber } from './options.ts';

/** Adds `fuzzqe serve`. */
export function addServeCommand(program: Command, terminal: Terminal): void {
  program
    .command('serve <bundle>')
    .description('answer queries over HTTP')
    .option('--port <n>', 'port; 0 takes a free one', wholeNumber(0, 65_535), 8080)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--device <name>', `auto, ${deviceNames.join(', ')}`, 'cpu')
    .option('--profile <name>', 'which stored form of the model answers', 'fp32')
    .option('--threads <n>', 'threads for one run on the CPU', wholeNumber(1, 256))
    .addHelpText('after', '\nExample:\n  fuzzqe serve bundles/countries --port 8080')
    .action(async (bundle: string, flags: ServeFlags) => {
      const [device] = namesOutOf(flags.device, ['auto', ...deviceNames], 'device');
      const folder = await bundleFolder(bundle);
      const engine = await openEngine({
        source: folderSource(folder),
        profile: flags.profile,
        sessions: nodeSessions(folder, {
          device: device!,
          ...(flags.threads === undefined ? {} : { threads: flags.threads }),
        }),
      });
      const server = await startServer({ engine, port: flags.port, host: flags.host });
      terminal.note(`Serving ${engine.manifest.name} on ${server.url} (${engine.runtime})`);
      await untilStopped(terminal, server);
    });
}

interface ServeFlags {
  readonly port: number;
  readonly host: string;
  readonly device: string;
  readonly profile: string;
  readonly threads?: number;
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
