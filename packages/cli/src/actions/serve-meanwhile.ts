import type { Dataset } from '@fuzzqe/data';
import { openGraphEngine } from '@fuzzqe/engine';
import { fitGraphEvidence } from '@fuzzqe/pipeline';
import { readSettings, type Service, type Settings } from '@fuzzqe/serve';
import type { Terminal } from '../terminal/terminal.ts';
import { limitHeapGrowth } from './limit-heap-growth.ts';
import { announce, beginService, untilStopped } from './serve.ts';

/** A server that answers from a graph while its model is trained, and from the bundle afterwards. */
export interface MeanwhileService {
  /** Fits the evidence of a graph and serves it; a failure is noted, and the training goes on. */
  begin(dataset: Dataset, signal: AbortSignal): void;
  /** Opens the bundle instead of the graph, and serves until a signal ends it. */
  serveBundle(folder: string): Promise<void>;
  /** Ends the server. */
  close(): Promise<void>;
}

/** A server under one name for a graph and for the bundle of its model; nothing is bound before `begin` or `serveBundle`. */
export async function createMeanwhileService(
  terminal: Terminal,
  { name, port }: { readonly name: string; readonly port: number },
): Promise<MeanwhileService> {
  const settings = await readSettings({ flags: { port: `${port}` }, environment: process.env });
  let begun: Promise<Service | undefined> = Promise.resolve(undefined);
  return {
    begin(dataset, signal) {
      begun = serveGraph(terminal, settings, { name, dataset, signal }).catch((error: unknown) => {
        if (!signal.aborted)
          terminal.note(`Not served during the training: ${error instanceof Error ? error.message : error}`);
        return undefined;
      });
    },
    async serveBundle(folder) {
      limitHeapGrowth();
      const service = await begun;
      await untilStopped(
        terminal,
        async () => service ?? beginService([folder], settings),
        async (running) => {
          const engines = service === undefined ? await running.opened : [await running.open(folder)];
          await announce(terminal, running, engines, settings);
        },
      );
    },
    close: async () => (await begun)?.close(),
  };
}

async function serveGraph(
  terminal: Terminal,
  settings: Settings,
  {
    name,
    dataset,
    signal,
  }: { readonly name: string; readonly dataset: Dataset; readonly signal: AbortSignal },
): Promise<Service> {
  const evidence = await fitGraphEvidence({ dataset, signal });
  const { vocabulary, licence, attributes } = dataset;
  const facts = dataset.graphs().full;
  const engine = await openGraphEngine({
    ...{ vocabulary, facts, evidence, name, licence },
    ...(attributes === undefined ? {} : { attributes }),
    provenances: dataset.provenances,
  });
  const service = await beginService([], settings, [engine]).catch(async (cause: unknown) => {
    await engine.close();
    throw cause;
  });
  await service.opened;
  terminal.note(
    `Serving ${name} on ${service.url} during the training: no model is there yet, answers by rules, schema and similar entities`,
  );
  return service;
}
