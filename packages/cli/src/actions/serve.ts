import { openEngine } from '@fuzzqe/engine';
import { bundleFolder, folderSource, nodeSessions, type RunningServer, startServer } from '@fuzzqe/serve';
import { exampleQuery } from '../names/named-graph.ts';
import type { servingDevices } from '../options/choices.ts';
import { signatureOptions } from '../options/read-key.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { servedParts } from './served-parts.ts';

/** What `fuzzqe serve` was told. */
export interface ServeFlags {
  /** A file. */
  readonly requireSignature?: string;
  readonly port: number;
  readonly host: string;
  readonly device: (typeof servingDevices)[number];
  readonly profile?: string;
  readonly threads?: number;
}

/** Does `fuzzqe serve`. */
export async function serveBundle(terminal: Terminal, bundle: string, flags: ServeFlags): Promise<void> {
  const folder = await bundleFolder(bundle);
  const engine = await openEngine({
    source: folderSource(folder),
    ...(flags.profile === undefined ? {} : { profile: flags.profile }),
    ...(await signatureOptions(flags.requireSignature)),
    sessions: nodeSessions(folder, {
      device: flags.device,
      log: terminal.note,
      ...(flags.threads === undefined ? {} : { threads: flags.threads }),
    }),
  });
  const server = await startServer({
    models: engine,
    port: flags.port,
    host: flags.host,
    api: { mount: servedParts() },
  });
  const { manifest, runtime, profile } = engine;
  terminal.note(`Serving ${manifest.name} on ${server.url} (${runtime}, ${profile})`);
  const body = JSON.stringify({ query: exampleQuery(engine) }).replaceAll("'", '\\u0027');
  terminal.note(
    `Next: curl -s ${server.url}/v1/query -H 'content-type: application/json' -d '${body}'\nCtrl-C ends it.`,
  );
  await waitUntilStopped(terminal, server);
}

/** Waits for Ctrl-C, then lets the requests under way finish. */
export async function waitUntilStopped(terminal: Terminal, server: RunningServer): Promise<void> {
  await new Promise<void>((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  terminal.note('Closing.');
  await server.close();
}
