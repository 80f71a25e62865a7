import { fileURLToPath } from 'node:url';
import type { Engine } from '@fuzzqe/engine';
import { pageFolder } from '@fuzzqe/playground';
import {
  type OpenIndex,
  readSettings,
  type Service,
  type SettingSources,
  type Settings,
  startService,
  translatorOf,
} from '@fuzzqe/serve';

import { exampleQuery } from '../names/example-query.ts';
import { gpuRuntimeOf } from '../options/gpu-runtime.ts';
import { signatureOptions } from '../options/read-key.ts';
import { countStopRequests } from '../terminal/stop-requests.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { watchNpx } from '../terminal/watch-npx.ts';
import { limitHeapGrowth } from './limit-heap-growth.ts';
import { servedParts } from './served-parts.ts';

/** What `fuzzqe serve` was told: settings as text. */
export type ServeFlags = SettingSources['flags'];

/** Does `fuzzqe serve`. */
export async function serveBundles(
  terminal: Terminal,
  bundles: readonly string[],
  flags: ServeFlags,
): Promise<void> {
  limitHeapGrowth();
  const settings = await readSettings({ flags, environment: process.env });
  await untilStopped(
    terminal,
    () => beginService(bundles, settings),
    async (service) => announce(terminal, service, await service.opened, settings),
  );
}

/** Starts a service of bundles and of engines that are open already. */
export async function beginService(
  bundles: readonly string[],
  settings: Settings,
  engines: readonly Engine[] = [],
): Promise<Service> {
  const signature = await signatureOptions(settings.requireSignature);
  const mcp = settings.mcp === 'on';
  const { index } = settings;
  // Its drivers are loaded for those who have an index alone.
  const openIndex: OpenIndex | undefined =
    index === undefined
      ? undefined
      : async ({ manifest, profileName: profile }, onState) => {
          const { openEntityIndex } = await import('@fuzzqe/entity-index');
          return openEntityIndex(index, { manifest, profile, ...(onState && { onState }) });
        };
  const page = fileURLToPath(pageFolder);
  const gpuRuntime = settings.playground === 'webgpu' ? await gpuRuntimeOf(page) : undefined;
  const translator = translatorOf(settings, process.env);
  const { allowHost, cors } = settings;
  const mount = await servedParts({ bearer: settings.keys !== undefined, mcp, allowHost, cors, translator });
  return startService({
    bundles,
    engines,
    settings,
    ...signature,
    ...(openIndex === undefined ? {} : { openIndex }),
    playground: page,
    ...(gpuRuntime === undefined ? {} : { gpuRuntime }),
    mount,
    factsKey: process.env['FUZZQE_KEY'],
  });
}

/** Says where it serves: to a person in words, else to its log, where each line is JSON. */
export async function announce(
  terminal: Terminal,
  { url, log }: Service,
  engines: readonly Engine[],
  settings: Settings,
): Promise<void> {
  const mcp = settings.mcp === 'on';
  if (!terminal.live) {
    for (const { manifest, runtime, profile } of engines)
      log.announce({ url, model: manifest.name, runtime, profile }, 'serving');
    if (mcp) log.announce({ url: `${url}/mcp` }, 'assistants may ask');
    return;
  }
  for (const { manifest, runtime, profile } of engines)
    terminal.note(`Serving ${manifest.name} on ${url} (${runtime}, ${profile})`);
  if (mcp) terminal.note(`Assistants ask at ${url}/mcp, by the Model Context Protocol`);
  const [first] = engines;
  if (first === undefined) return;
  const body = JSON.stringify({ query: exampleQuery(first) }).replaceAll("'", '\\u0027');
  terminal.note(
    `Next: curl -s ${url}/v1/query -H 'content-type: application/json' -d '${body}'\nCtrl-C ends it.`,
  );
}

/** What a signal may end, or have read again what it was made of. */
export interface Stoppable {
  close(): Promise<void>;
  reload?(): Promise<void>;
  /** Hears that it ends, where no person is looking. */
  readonly log?: Service['log'];
}

/**
 * Begins something, waits for Ctrl-C or SIGTERM, then lets what is under way finish; a second signal ends the process at once.
 *
 * The end of the npx that started the process counts as a signal.
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
    // Not process.exit: it waits for threads, which abort the process where they compute.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    // The first process of a container is not ended by its own signal.
    setTimeout(() => process.exit(130), 100);
  };
  let reload: (() => void) | undefined;
  let wasToReload = false;
  const renew = (): void => {
    if (reload === undefined) wasToReload = true;
    else reload();
  };
  for (const signal of signals) process.on(signal, hear);
  process.on('SIGHUP', renew);
  const unwatch = watchNpx(stop);
  try {
    const stoppable = await begin();
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
    unwatch();
    for (const signal of signals) process.off(signal, hear);
    process.off('SIGHUP', renew);
  }
}
