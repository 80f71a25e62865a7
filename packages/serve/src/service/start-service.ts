import { readFile } from 'node:fs/promises';
import { type ApiPart, createModelRegistry } from '@fuzzqe/api';
import { readManifest } from '@fuzzqe/bundle';
import { FuzzError } from '@fuzzqe/core';
import type { Engine } from '@fuzzqe/engine';
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
import { serverRoom, thisMachine } from '../limits/server-room.ts';
import { createModelShelf, type ModelShelf } from '../models/model-shelf.ts';
import { shelfObserver } from '../models/shelf-observer.ts';
import { type PlaygroundOptions, playgroundPart } from '../playground/playground-part.ts';
import type { OpenIndex } from '../pool/open-serving-engine.ts';
import { startThreads } from '../pool/pooled-ranker.ts';
import { startServer } from '../server.ts';
import { flagOf, type Settings, variableOf } from '../settings/settings-table.ts';
import { createLog, type Log } from '../telemetry/log.ts';
import { openTracing } from '../telemetry/tracing.ts';
import { factsAccess } from './facts-access.ts';
import { openBundleAt } from './open-bundle-at.ts';
import type { Served } from './served.ts';
import { serverSettings } from './server-settings.ts';
import { type ShelveBundle, shelveAll, shelveBundle } from './shelve-bundles.ts';
import { versionOf } from './version-of.ts';
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

/**
 * Serves bundles by settings: the port is bound at once, and answers 503 until the bundles are verified and open.
 *
 * @throws FuzzError `runtime`: the port, or a package of OpenTelemetry. `config`: the file of keys.
 * @example
 * import { readSettings } from '@fuzzqe/serve';
 * const settings = await readSettings({ flags: {}, environment: {} });
 * const service = await startService({ bundles: ['bundles/mine'], settings });
 * await service.close();
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
  const log =
    options.log ?? createLog({ level: settings.logLevel, onDropped: () => server.metrics.logDropped() });
  const room = serverRoom(settings, await thisMachine());
  const { workers, workersBy, modelBytes, modelBytesBy } = room;
  // One bundle is opened at the start and stays open; of several, those that are asked for.
  const shared =
    bundles.length > 1 && settings.device === 'cpu'
      ? startThreads({ workers, log: (line) => log.warn({}, line) })
      : undefined;
  const observer = shelfObserver(log, () => server.metrics);
  const shelf = bundles.length > 1 ? createModelShelf({ modelBytes, workers, observer }) : undefined;
  const models = shelf ?? createModelRegistry();
  const served: Served[] = [];
  const giveUp = async (cause: unknown): Promise<never> => {
    if (options.log === undefined) log.close();
    await tracing?.close();
    await shared?.close();
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

  log.info(
    { workers, workersBy, ...(shelf && { modelBytes, modelBytesBy, bundles: bundles.length }) },
    'worker threads and memory of this server',
  );
  models.watch({ held() {}, left: ({ engine }) => facts?.leave(engine) });

  const onNote = (line: string): void => log.info({}, line);
  const end = new AbortController();
  const hub: HubSettings = { onNote, signal: end.signal };
  let closing: Promise<void> | undefined;
  const open = async (folder: string): Promise<Engine> => {
    const engine = await openBundleAt(folder, options, log, workers, shared).catch((error: unknown) => {
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
  const shelve =
    shelf && shelveBundle({ ...options, ...{ shelf, hub, log, open, profile: settings.profile } });
  const openShelf = async (on: ModelShelf, by: ShelveBundle): Promise<readonly Engine[]> => {
    await shelveAll(bundles, served, { shelf: on, shelve: by, hub, log, expectOwnName });
    for (const engine of given) await on.put(engine.manifest.name, engine, '0');
    await on.warmUp(warmedUp);
    return on.list().map(({ engine }) => engine);
  };
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
    const isKnown = shelf?.closed().find(({ name }) => name === entry.name)?.status !== 'failed';
    if (isKnown && folder === entry.folder && (await sealOf(folder)) === entry.sha256) {
      log.info({ model: entry.name, folder }, 'no other version is there: it stays as it was');
      return;
    }
    const expectName = (name: string): void => {
      if (name === entry.name) return;
      // A bundle whose manifest could not be read had the name of its folder.
      if (entry.sha256 === '') expectOwnName(name, entry.path);
      else
        throw new FuzzError('bundle', `expected a version of ${entry.name}, got ${name}`, { path: folder });
    };
    if (shelve === undefined) {
      const engine = await open(folder);
      try {
        expectName(engine.manifest.name);
      } catch (cause) {
        await engine.close();
        throw cause;
      }
      await put(engine, folder);
      Object.assign(entry, { folder, sha256: engine.manifest.sha256 });
    } else {
      const { name } = entry;
      Object.assign(entry, await shelve(folder, expectName));
      if (entry.name !== name) await models.remove(name);
    }
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
      await shared?.close();
      await tracing?.close();
      log.close();
    })();
    return closing;
  };
  const opened = shelf === undefined || shelve === undefined ? openAll() : openShelf(shelf, shelve);
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
      if (shelve !== undefined) {
        const shelved = await shelve(folder, (name) => expectOwnName(name, path));
        served.push({ path, ...shelved });
        const lease = await models.acquire(shelved.name);
        lease.release();
        return lease.engine;
      }
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

/** How many bundles of several are opened at the start. */
const warmedUp = 16;

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
