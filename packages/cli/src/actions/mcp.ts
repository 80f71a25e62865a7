import { resolve } from 'node:path';
import { type Engine, openEngine } from '@fuzzqe/engine';
import { createModelRegistry } from '@fuzzqe/engine/api';
import { createMcpServer, mcpPart, serveMcpStdio } from '@fuzzqe/mcp';
import { bundleFolder, folderSource, nodeSessions, startServer } from '@fuzzqe/serve';
import type { servingDevices } from '../options/choices.ts';
import { signatureOptions } from '../options/read-key.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { untilStopped } from './serve.ts';

/** What `fuzzqe mcp` was told. */
export interface McpFlags {
  readonly http?: boolean;
  readonly port: number;
  readonly host: string;
  readonly allowHost?: readonly string[];
  readonly device: (typeof servingDevices)[number];
  readonly profile?: string;
  /** A file. */
  readonly requireSignature?: string;
  readonly threads?: number;
}

/** Does `fuzzqe mcp`. */
export async function serveAssistants(terminal: Terminal, bundle: string, flags: McpFlags): Promise<void> {
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
  const onError = (error: unknown, id: string): void => terminal.note(`request ${id} failed: ${error}`);
  await (flags.http === true
    ? serveHttp(terminal, engine, flags, onError)
    : serveStreams(terminal, engine, bundle, onError));
}

type ErrorListener = (error: unknown, requestId: string) => void;

async function serveHttp(
  terminal: Terminal,
  engine: Engine,
  { port, host, allowHost = [] }: McpFlags,
  onError: ErrorListener,
): Promise<void> {
  const mount = [mcpPart({ onError, hosts: 'checked' })];
  const server = await startServer({ models: engine, port, host, allowHost, api: { mount } });
  terminal.note(`Serving ${engine.manifest.name} to assistants on ${server.url}/mcp (${engine.runtime})`);
  await untilStopped(terminal, async () => server);
}

/** Standard output belongs to the protocol, so everything else is said on standard error. */
async function serveStreams(
  terminal: Terminal,
  engine: Engine,
  bundle: string,
  onError: ErrorListener,
): Promise<void> {
  const models = createModelRegistry();
  await models.put(engine.manifest.name, engine);
  const connection = serveMcpStdio(() => createMcpServer(models, { onError }));
  if (process.stdin.isTTY) terminal.note(howToConfigure(engine.manifest.name, bundle));
  const stop = (): void => void connection.close();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  await connection.closed;
  await models.close();
}

/** An assistant starts the command itself: this is what it has to be told. */
function howToConfigure(name: string, bundle: string): string {
  const server = { command: 'npx', args: ['fuzzqe', 'mcp', resolve(bundle)] };
  return `Waiting for an assistant on standard input. In its settings:\n${JSON.stringify({ mcpServers: { [name]: server } }, null, 2)}\nCtrl-C ends it.`;
}
