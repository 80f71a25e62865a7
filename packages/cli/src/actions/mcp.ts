import { resolve } from 'node:path';
import { createModelRegistry } from '@fuzzqe/api';
import { FuzzError, messageOf } from '@fuzzqe/core';
import { type BundleOptions, type Engine, openEngine } from '@fuzzqe/engine';
import { createMcpServer, serveMcpStdio } from '@fuzzqe/mcp';
import {
  bundleFolder,
  factsAccess,
  folderSource,
  nodeSessions,
  openLiveFacts,
  openServingEngine,
  readSettings,
  type Settings,
  type UpdatableFacts,
  updatableFacts,
} from '@fuzzqe/serve';
import { signatureOptions } from '../options/read-key.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { type ServeFlags, serveBundles } from './serve.ts';

/** What `fuzzqe mcp` was told: settings of a server as text, and what is its own. */
export interface McpFlags extends ServeFlags {
  readonly http?: boolean;
  readonly threads?: number;
  /** Whether the assistant may change the facts of `facts`. */
  readonly write?: boolean;
}

/** Does `fuzzqe mcp`. */
export async function serveAssistants(
  terminal: Terminal,
  bundle: string,
  { http = false, threads, write = false, ...flags }: McpFlags,
): Promise<void> {
  if (write && (http || flags.facts === undefined))
    throw new FuzzError('usage', '--write: expected --facts, and no --http', {
      hint: 'Name a folder with --facts. Over HTTP, keys say who may write: fuzzqe key NAME --write.',
    });
  if (http) {
    if (threads !== undefined)
      throw new FuzzError('usage', '--threads: expected it without --http, got both', {
        hint: 'Over HTTP --workers says how many threads answer.',
      });
    return serveBundles(terminal, [bundle], { playground: 'off', ...flags, mcp: 'on' });
  }
  refuseWithoutHttp(flags);
  // What is set for a server in the environment is not meant for this.
  const { device, profile, requireSignature, ...settings } = await readSettings({ flags, environment: {} });
  const folder = await bundleFolder(bundle, { onNote: terminal.note });
  const opening = {
    device,
    log: terminal.note,
    ...(profile === undefined ? {} : { profile }),
    ...(await signatureOptions(requireSignature)),
  };
  const engine =
    settings.facts === undefined
      ? await openAlone(folder, opening, threads)
      : // Facts change in an engine for many callers.
        await openServingEngine({ directory: folder, ...opening, workers: threads ?? 1 });
  const facts = await followFacts(settings, engine, terminal.note).catch(async (error: unknown) => {
    await engine.close();
    throw error;
  });
  const access =
    facts === undefined
      ? undefined
      : factsAccess({ facts, refusalOf: () => (write ? undefined : 'Start fuzzqe mcp with --write.') });
  const onError = (error: unknown, id: string): void => terminal.note(`request ${id} failed: ${error}`);
  const models = createModelRegistry();
  await models.put(engine.manifest.name, engine);
  // Standard output belongs to the protocol, so everything else is said on standard error.
  const connection = serveMcpStdio(
    () => createMcpServer(models, { onError, facts: access }),
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
    await facts?.close();
    await models.close();
  }
}

/** An engine in this thread, whose facts stay as opened. */
function openAlone(
  folder: string,
  { device, log, ...options }: Pick<Settings, 'device'> & BundleOptions & { log(line: string): void },
  threads: number | undefined,
): Promise<Engine> {
  const sessions = nodeSessions(folder, { device, log, ...(threads === undefined ? {} : { threads }) });
  return openEngine({ ...options, source: folderSource(folder), sessions });
}

/** Opens the facts that the settings name, and keeps an engine at them. */
async function followFacts(
  settings: Pick<Settings, 'facts'>,
  engine: Engine,
  onNote: (line: string) => void,
): Promise<UpdatableFacts | undefined> {
  const opened = await openLiveFacts(settings, {
    served: 1,
    key: process.env['FUZZQE_KEY'],
    log: { warn: (_, line) => onNote(line), error: (_, line) => onNote(line) },
  });
  if (opened === undefined) return undefined;
  const facts = updatableFacts(opened);
  await facts.follow(engine).catch(async (error: unknown) => {
    await facts.close();
    throw error;
  });
  return facts;
}

function refuseWithoutHttp(flags: ServeFlags): void {
  const { device, profile, requireSignature, facts, ...others } = flags;
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
