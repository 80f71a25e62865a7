import { fileURLToPath } from 'node:url';
import { pageFolder } from '@fuzzqe/playground';
import {
  type OpenIndex,
  readSettings,
  type Service,
  type ServiceOptions,
  type SettingSources,
  type Settings,
  startService,
} from '@fuzzqe/serve';

import { exampleQuery } from '../names/example-query.ts';
import { gpuRuntimeOf } from '../options/gpu-runtime.ts';
import { signatureOptions } from '../options/read-key.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { untilStopped } from '../terminal/until-stopped.ts';
import { limitHeapGrowth } from './limit-heap-growth.ts';
import { servedParts } from './served-parts.ts';
import { serveAsSibling, serveByProcesses, takeSiblingTask } from './serving-processes.ts';

/** What `fuzzqe serve` was told: settings as text. */
export type ServeFlags = SettingSources['flags'];

/** Does `fuzzqe serve`. */
export async function serveBundles(
  terminal: Terminal,
  bundles: readonly string[],
  flags: ServeFlags,
): Promise<void> {
  limitHeapGrowth();
  const task = takeSiblingTask();
  if (task !== undefined) {
    const { settings, isFirst } = task;
    return serveAsSibling(
      (siblings) => beginService(bundles, settings, { siblings, listensLate: !isFirst }),
      async (service) => {
        if (isFirst) await announce(terminal, service, settings.mcp === 'on');
      },
    );
  }
  const settings = await readSettings({ flags, environment: process.env });
  if (settings.processes > 1) return serveByProcesses(terminal, bundles, settings);
  await untilStopped(
    terminal,
    () => beginService(bundles, settings),
    (service) => announce(terminal, service, settings.mcp === 'on'),
  );
}

async function beginService(
  bundles: readonly string[],
  settings: Settings,
  more: Pick<ServiceOptions, 'siblings' | 'listensLate'> = {},
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
  const mount = await servedParts({ bearer: settings.keys !== undefined, mcp });
  return startService({
    bundles,
    settings,
    ...signature,
    ...(openIndex === undefined ? {} : { openIndex }),
    playground: page,
    ...(gpuRuntime === undefined ? {} : { gpuRuntime }),
    mount,
    ...more,
  });
}

/** Says where it serves: to a person in words, else to its log, where each line is JSON. */
async function announce(terminal: Terminal, { url, log, opened }: Service, mcp: boolean): Promise<void> {
  const engines = await opened;
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
