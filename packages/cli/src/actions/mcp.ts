import { resolve } from 'node:path';
import { FuzzError, messageOf } from '@fuzzqe/core';
import { openEngine } from '@fuzzqe/engine';
import { createModelRegistry } from '@fuzzqe/engine/api';
import { createMcpServer, serveMcpStdio } from '@fuzzqe/mcp';
import { bundleFolder, folderSource, nodeSessions, readSettings } from '@fuzzqe/serve';
import { signatureOptions } from '../options/read-key.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { type ServeFlags, serveBundles } from './serve.ts';

/** What `fuzzqe mcp` was told: settings of a server as text, and what is its own. */
export interface McpFlags extends ServeFlags {
  readonly http?: boolean;
  readonly threads?: number;
}

/** Does `fuzzqe mcp`. */
export async function serveAssistants(
  terminal: Terminal,
  bundle: string,
  { http = false, threads, ...flags }: McpFlags,
): Promise<void> {
  if (http) {
    if (threads !== undefined)
      throw new FuzzError('usage', '--threads: expected it without --http, got both', {
        hint: 'Over HTTP --workers says how many threads answer.',
      });
    return serveBundles(terminal, [bundle], { playground: 'off', ...flags, mcp: 'on' });
  }
  refuseWithoutHttp(flags);
  // What is set for a server in the environment is not meant for this.
  const { device, profile, requireSignature } = await readSettings({ flags, environment: {} });
  const folder = await bundleFolder(bundle, { onNote: terminal.note });
  const engine = await openEngine({
    source: folderSource(folder),
    ...(profile === undefined ? {} : { profile }),
    ...(await signatureOptions(requireSignature)),
    sessions: nodeSessions(folder, {
      device,
      log: terminal.note,
      ...(threads === undefined ? {} : { threads }),
    }),
  });
  const onError = (error: unknown, id: string): void => terminal.note(`request ${id} failed: ${error}`);
  const models = createModelRegistry();
  await models.put(engine.manifest.name, engine);
  // Standard output belongs to the protocol, so everything else is said on standard error.
  const connection = serveMcpStdio(
    () => createMcpServer(models, { onError }),
    (error) => terminal.note(`on standard input: ${messageOf(error).replaceAll(/\s+/g, ' ').slice(0, 200)}`),
  );
  if (process.stdin.isTTY) terminal.note(howToConfigure(engine.manifest.name, bundle));
  const stop = (): void => void connection.close();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  // Nobody reads the answers any more.
  process.stdout.once('error', stop);
  try {
    await connection.closed;
  } finally {
    await models.close();
  }
}

function refuseWithoutHttp(flags: ServeFlags): void {
  const { device, profile, requireSignature, ...others } = flags;
  const [first] = Object.keys(others);
  if (first === undefined) return;
  const flag = `--${first.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  throw new FuzzError('usage', `${flag}: expected it with --http, got it without`, {
    hint: 'Without --http the assistant that starts the command is its only caller.',
  });
}

/** An assistant starts the command itself: this is what it has to be told. */
function howToConfigure(name: string, bundle: string): string {
  const server = { command: 'npx', args: ['fuzzqe', 'mcp', resolve(bundle)] };
  return `Waiting for an assistant on standard input. In its settings:\n${JSON.stringify({ mcpServers: { [name]: server } }, null, 2)}\nCtrl-C ends it.`;
}
