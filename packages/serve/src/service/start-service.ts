import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { type ApiPart, createModelRegistry } from '@fuzzqe/api';
import { bundleVersionOf, readManifest } from '@fuzzqe/bundle';
import { FuzzError } from '@fuzzqe/core';
import type { Engine, IndexState } from '@fuzzqe/engine';
import { type AccessKeys, parseAccessKeys } from '../access/access-keys.ts';
import { isLoopback } from '../access/caller-check.ts';
import { folderSource } from '../bundle-source.ts';
import { bundleFolder } from '../bundles/bundle-folder.ts';
import type { HubSettings } from '../bundles/hub-server.ts';
import { entitiesPart } from '../facts/entities-part.ts';
import { factsPart } from '../facts/facts-part.ts';
import { expectOneBundle, openLiveFacts, writerRefusal } from '../facts/open-live-facts.ts';
import { updatableFacts } from '../facts/updatable-facts.ts';
import { withoutFacts } from '../facts/without-facts.ts';
import { recentlyJudged } from '../judgements/drift-report.ts';
import { judgementsPart } from '../judgements/judgements-part.ts';
import { type PlaygroundOptions, playgroundPart } from '../playground/playground-part.ts';
import { type OpenIndex, openServingEngine } from '../pool/open-serving-engine.ts';
import { type ServerOptions, startServer } from '../server.ts';
import { flagOf, type Settings, variableOf } from '../settings/settings-table.ts';
import { createLog, type Log } from '../telemetry/log.ts';
import { openTracing } from '../telemetry/tracing.ts';
import { factsAccess } from './facts-access.ts';
import { withFolder } from './with-folder.ts';

/** What a service is made of. */
export interface ServiceOptions {
  /** Folders of bundles, or of versions of one, of which the newest is served, or the one that its file `current` names. */
  readonly bundles: readonly string[];
  /** Engines that answer under their names until a bundle of the name is opened: graphs whose models are being trained. */
  readonly engines?: readonly Engine[];
  readonly settings: Settings;
  /** The text of the key by which bundles have to be signed. Default: they need not be. */
  readonly requireSignature?: string;
  /** Where the built page lies, which `settings.playground` serves at `/playground`. Default: there is none. */
  readonly playground?: string;
  /** The file of the runtime for WebGPU by its path in the page, where `settings.playground` is `webgpu`. */
  readonly gpuRuntime?: PlaygroundOptions['gpuRuntime'];
  /** Opens the index that `settings.index` names for a bundle. Default: there is none. */
  readonly openIndex?: OpenIndex;
  /** A key of the server that `settings.facts` follows. */
  readonly factsKey?: string | undefined;
  /** What else is answered than `/v1`. */
  readonly mount?: readonly ApiPart[];
  /** Default: standard error. */
  readonly log?: Log;
}

/** A server with its bundles, keys, log and traces. */
export interface Service {
  readonly url: string;
  /** Where it says what happens in it. */
  readonly log: Log;
  /** Resolves when every bundle is open, with the engines that were given before them; rejects where a bundle cannot be opened, which ends the service. */
  readonly opened: Promise<readonly Engine[]>;
  /**
   * Opens one more bundle; if its name is served already, the bundle takes over without a dropped request.
   *
   * @throws FuzzError `bundle`: it cannot be opened. `usage`: another bundle has its name.
   */
  open(path: string): Promise<Engine>;
  /** Reads the keys again, and takes the newest version of each bundle or the one named, without a dropped request; what fails stays as it was. */
  reload(): Promise<void>;
  /** Takes no more requests, lets those under way finish, and closes all. */
  close(): Promise<void>;
}

interface Served {
  readonly path: string;
  name: string;
  folder: string;
  /** Of the manifest, which tells an export into the same folder from what is served. */
  sha256: string;
}

/**
 * Serves bundles by settings: the port is bound at once, and answers 503 until the bundles are verified and open.
 *
 * @throws FuzzError `runtime`: the port, or a package of OpenTelemetry. `config`: the file of keys.
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { bundles, settings, mount = [] } = options;
  let keys = await readKeys(settings.keys);
  const { otlpEndpoint, traceRatio } = settings;
  const tracing =
    otlpEndpoint === undefined
      ? undefined
      : await openTracing({
          endpoint: otlpEndpoint,
          ratio: traceRatio,
          onChange: (arrives, error) => tellArrival(arrives, error, log),
        });
  const models = createModelRegistry();
  const log =
    options.log ?? createLog({ level: settings.logLevel, onDropped: () => server.metrics.logDropped() });
  const served: Served[] = [];
  const giveUp = async (cause: unknown): Promise<never> => {
    if (options.log === undefined) log.close();
    await tracing?.close();
    throw cause;
  };
  const count = bundles.length + (options.engines?.length ?? 0);
  const { factsKey: key } = options;
  const live = await openLiveFacts(settings, { served: count, key, log }).catch(giveUp);
  const facts = live === undefined ? undefined : updatableFacts(live);
  const refusalOf = (caller: unknown) => writerRefusal(caller, keys, settings);
  const page =
    options.playground === undefined || settings.playground === 'off'
      ? []
      : [
          playgroundPart({
            folder: options.playground,
            ...(settings.playground === 'page'
              ? {}
              : { bundleOf: (model: string) => served.find(({ name }) => name === model)?.folder }),
            gpuRuntime: settings.playground === 'webgpu' ? options.gpuRuntime : undefined,
          }),
        ];
  const { rateLimit, rateBurst, cors } = settings;
  const server = await startServer({
    ...serverSettings(settings),
    models,
    facts,
    ...(facts === undefined ? {} : { judged: () => recentlyJudged(facts, Date.now()) }),
    api: {
      bodyLimit: settings.bodyLimit,
      batchLimit: settings.batchLimit,
      batchLines: settings.batchLines,
      batchCostLimit: settings.batchCostLimit,
      maxK: settings.maxK,
      timeout: settings.timeLimit,
      costLimit: settings.costLimit,
      mount: [
        ...mount,
        ...(facts === undefined
          ? withoutFacts
          : [factsPart, entitiesPart, judgementsPart].map((part) => part({ facts, refusalOf }))),
        ...page,
      ],
      ...(cors === undefined ? {} : { cors }),
      ...(facts === undefined ? {} : { facts: factsAccess({ facts, refusalOf }) }),
    },
    keys: () => keys,
    ...(rateLimit === undefined ? {} : { rateLimit: { perSecond: rateLimit, burst: rateBurst } }),
    log,
    ...(tracing === undefined ? {} : { tracing }),
  }).catch(async (cause: unknown) => {
    await facts?.close();
    return giveUp(cause);
  });
  if (keys === undefined && !isLoopback(settings.host))
    log.warn({ host: settings.host }, 'everybody who reaches this address may ask: no keys are set');

  models.watch({ held() {}, left: ({ engine }) => facts?.leave(engine) });

  const onNote = (line: string): void => log.info({}, line);
  const end = new AbortController();
  const hub: HubSettings = { onNote, signal: end.signal };
  let closing: Promise<void> | undefined;
  const open = async (folder: string): Promise<Engine> => {
    const engine = await openBundleAt(folder, options, log).catch((error: unknown) => {
      throw withFolder(error, folder);
    });
    await facts?.follow(engine).catch(async (error: unknown) => {
      await engine.close();
      throw error;
    });
    if (closing !== undefined) {
      await engine.close();
      throw new FuzzError('interrupted', 'the service was closed while a bundle opened', { path: folder });
    }
    return engine;
  };
  const expectOwnName = (name: string, path: string): void => {
    if (served.some((other) => other.name === name))
      throw new FuzzError('usage', `expected bundles of different names, got ${name} more than once`, {
        path,
        hint: 'Name one with fuzzqe export --name.',
      });
  };
  const given = options.engines ?? [];
  const openAll = async (): Promise<readonly Engine[]> => {
    const engines: Engine[] = [];
    try {
      for (const engine of given) await facts?.follow(engine);
      for (const path of bundles) {
        const folder = await bundleFolder(path, hub);
        const engine = await open(folder);
        engines.push(engine);
        const { name, sha256 } = engine.manifest;
        expectOwnName(name, path);
        served.push({ path, name, folder, sha256 });
      }
      // All at once: what is ready has every bundle, and no name is unknown while others are there.
      await Promise.all([
        ...given.map((engine) => models.put(engine.manifest.name, engine, '0')),
        ...engines.map((engine, i) => models.put(engine.manifest.name, engine, versionOf(served[i]!.folder))),
      ]);
    } catch (cause) {
      await Promise.all([...given, ...engines].map((engine) => engine.close()));
      throw cause;
    }
    return [...given, ...engines];
  };
  /** Lets an engine answer for its name; an engine that cannot is closed. */
  const put = async (engine: Engine, folder: string): Promise<void> => {
    const { name } = engine.manifest;
    try {
      const replaced = models.put(name, engine, versionOf(folder));
      if (models.list().some((model) => model.engine === engine))
        // The promise is the end of the former version, which long answers may hold up.
        replaced.catch((error: unknown) => {
          log.error({ error, model: name }, 'the former version did not close');
        });
      else await replaced;
    } catch (cause) {
      await engine.close();
      throw cause;
    }
  };
  const renew = async (entry: Served): Promise<void> => {
    const folder = await bundleFolder(entry.path, hub);
    if (folder === entry.folder && (await sealOf(folder)) === entry.sha256) {
      log.info({ model: entry.name, folder }, 'no other version is there: it stays as it was');
      return;
    }
    const engine = await open(folder);
    if (engine.manifest.name !== entry.name) {
      await engine.close();
      throw new FuzzError('bundle', `expected a version of ${entry.name}, got ${engine.manifest.name}`, {
        path: folder,
      });
    }
    await put(engine, folder);
    entry.folder = folder;
    entry.sha256 = engine.manifest.sha256;
    log.info({ model: entry.name, folder }, 'another version is served');
  };

  const close = (): Promise<void> => {
    closing ??= (async () => {
      // What is being fetched stays in the cache, and is gone on from.
      end.abort();
      facts?.endWaits();
      await server.close();
      // What opens just now closes itself.
      await Promise.all([opened.catch(() => undefined), reloading]);
      await facts?.close();
      await tracing?.close();
      log.close();
    })();
    return closing;
  };
  const opened = openAll();
  opened.catch(close);
  let reloading: Promise<void> = opened.then(
    () => undefined,
    () => undefined,
  );
  return {
    url: server.url,
    log,
    opened,
    async open(path) {
      await opened;
      if (facts !== undefined) expectOneBundle(2);
      const folder = await bundleFolder(path, hub);
      const engine = await open(folder);
      const { name, sha256 } = engine.manifest;
      try {
        expectOwnName(name, path);
      } catch (cause) {
        await engine.close();
        throw cause;
      }
      await put(engine, folder);
      served.push({ path, name, folder, sha256 });
      log.info({ model: name, folder }, 'the bundle is served');
      return engine;
    },
    reload() {
      reloading = reloading.then(async () => {
        const attempt = async (what: string, work: () => Promise<void>): Promise<void> => {
          try {
            await work();
          } catch (error) {
            if (closing === undefined) log.error({ error }, `${what}: stays as it was`);
          }
        };
        await attempt('keys', async () => {
          keys = await readKeys(settings.keys);
        });
        for (const entry of served) if (closing === undefined) await attempt(entry.name, () => renew(entry));
      });
      return reloading;
    },
    close,
  };
}

/** What of the settings is the server's own. */
function serverSettings(settings: Settings): Omit<ServerOptions, 'models' | 'keys' | 'rateLimit' | 'api'> {
  const { host, port, allowHost, maxConnections, maxInFlight } = settings;
  const { headersTimeout, requestTimeout, keepAliveTimeout, idleTimeout } = settings;
  const { shutdownDelay, closeNotice, drainTimeout } = settings;
  return {
    host,
    port,
    allowHost,
    maxConnections,
    maxInFlight,
    headersTimeout,
    requestTimeout,
    keepAliveTimeout,
    idleTimeout,
    shutdownDelay,
    closeNotice,
    drainTimeout,
  };
}

function openBundleAt(
  directory: string,
  { settings, requireSignature, openIndex }: ServiceOptions,
  log: Log,
): Promise<Engine> {
  const { profile, device, workers, batchSize, waitingLimit, waitingTime, cacheBytes } = settings;
  return openServingEngine({
    directory,
    device,
    waitingLimit,
    waitingTime,
    cacheBytes,
    ...(profile === undefined ? {} : { profile }),
    ...(workers === undefined ? {} : { workers }),
    ...(batchSize === undefined ? {} : { batchSize }),
    ...(requireSignature === undefined ? {} : { requireSignature }),
    ...(openIndex === undefined || settings.index === undefined
      ? {}
      : { openIndex: (bundle) => openIndex(bundle, tellState(bundle.manifest.name, log)) }),
    log: (line) => log.warn({}, line),
  });
}

/**
 * What a bundle's manifest says that it is.
 *
 * @throws FuzzError `bundle`: it cannot be read.
 */
async function sealOf(folder: string): Promise<string> {
  try {
    return (await readManifest(folderSource(folder))).sha256;
  } catch (error) {
    throw withFolder(error, folder);
  }
}

/** Writes a line when spans arrive at the collector no more, and when they do again. */
function tellArrival(arrives: boolean, error: unknown, log: Log): void {
  if (arrives) log.info({}, 'spans arrive at the collector again');
  else log.warn({ error }, 'spans do not arrive at the collector, and are lost until they do');
}

/** Writes a line when an index goes away, and when it is back. */
function tellState(model: string, log: Log): (state: IndexState, error?: FuzzError) => void {
  return (state, error) =>
    state === 'ready'
      ? log.info({ model }, 'the index answers again')
      : log.error(
          { model, state, error },
          'the index does not answer: what needs it is refused until it does',
        );
}

async function readKeys(file: string | undefined): Promise<AccessKeys | undefined> {
  if (file === undefined) return undefined;
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new FuzzError('config', 'expected a file of keys that can be read', {
      path: file,
      hint: `Check ${flagOf('keys')} and ${variableOf('keys')}; fuzzqe key NAME makes a key and its line.`,
      cause,
    });
  });
  return parseAccessKeys(text, file);
}

/** The number of a version in a repository of bundles; elsewhere there is one version. */
function versionOf(folder: string): string {
  return `${bundleVersionOf(basename(folder)) ?? 1}`;
}
