import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ClosedModel,
  createModelRegistry,
  type ModelLease,
  type ModelRegistry,
  RequestError,
} from '@fuzzqe/api';
import { FuzzError, isPassing } from '@fuzzqe/core';
import type { Engine } from '@fuzzqe/engine';
import { reasonOf, toAskers } from './opening-failure.ts';
import { createOpeningLine } from './opening-line.ts';

/** A bundle of which a shelf knows everything but what is in it. */
export interface ShelvedModel {
  readonly name: string;
  readonly version: string;
  /** The bytes of memory that it is counted with while it is open. */
  readonly bytes: number;
  /** Opens it. */
  readonly open: () => Promise<Engine>;
  /** Throws what opening it would throw of its files, before other models are closed for it. Default: nothing is checked. */
  readonly check?: () => Promise<unknown>;
}

/** Hears what a shelf does. */
export interface ShelfObserver {
  opened(name: string, seconds: number): void;
  /** It could not be opened; told once for each reason in turn. */
  failed(name: string, error: unknown): void;
  evicted(name: string): void;
}

/** How much a shelf keeps open. */
export interface ShelfOptions {
  /** Bytes that open models may take together. A model that is larger is opened alone. */
  readonly modelBytes: number;
  /** Worker threads that the models share; half of them, but two at most, open models. */
  readonly workers: number;
  readonly observer: ShelfObserver;
}

/** Models of which those that are asked for are open, within a number of bytes. */
export interface ModelShelf extends ModelRegistry {
  closed(): readonly ClosedModel[];
  /** Bytes that the open models are counted with. */
  readonly bytes: number;
  readonly workers: number;
  /**
   * Makes a model known, or another version of it. If the model is open, the version is opened and takes over; a model that
   * failed is closed again, and tried when it is asked for.
   *
   * @throws What its `open` throws: the former version goes on.
   */
  shelve(model: ShelvedModel): Promise<void>;
  /** Makes a name known whose bundle cannot be read. */
  shelveFailed(name: string, error: unknown): void;
  /**
   * Opens models in their order until `count` have been tried or the next one would not fit. Failures are noted, and thrown only
   * where no model opened.
   */
  warmUp(count: number): Promise<void>;
}

interface Entry {
  model: ShelvedModel | undefined;
  readonly name: string;
  open: { readonly engine: Engine; readonly bytes: number; leases: number; used: number } | undefined;
  opening: Promise<void> | undefined;
  failure: { readonly error: unknown; readonly at: number } | undefined;
}

/**
 * A registry that opens a model when it is asked for, and closes the ones that were not asked for longest.
 *
 * Requests for a model that is being opened wait for it. A model is closed when its last request has its answer; requests that
 * come meanwhile open it again. A model that cannot be opened fails by itself, and is tried again after a pause.
 */
export function createModelShelf({ modelBytes, workers, observer }: ShelfOptions): ModelShelf {
  const registry = createModelRegistry();
  const entries = new Map<string, Entry>();
  const line = createOpeningLine(Math.max(1, Math.min(2, Math.floor(workers / 2))));
  /** Models that were evicted and still answer, with their bytes. */
  const leaving = new Map<Promise<void>, number>();
  let reserved = 0;
  let uses = 0;
  let isClosed = false;
  let isWarm = false;

  const openBytes = (): number => {
    let sum = reserved;
    for (const { open } of entries.values()) sum += open?.bytes ?? 0;
    for (const bytes of leaving.values()) sum += bytes;
    return sum;
  };
  const evict = (entry: Entry): void => {
    const { open } = entry;
    if (open === undefined) return;
    entry.open = undefined;
    observer.evicted(entry.name);
    const end = registry.remove(entry.name).catch(() => undefined);
    leaving.set(end, open.bytes);
    void end.then(() => leaving.delete(end));
  };
  /** Takes the room for a model from others: first from those that no request uses, the one that was asked for longest ago before. */
  const takeRoom = async (): Promise<void> => {
    const others = [...entries.values()].flatMap((entry) =>
      // An engine that was put in by itself could not be opened again.
      entry.open !== undefined && entry.model !== undefined ? [{ entry, ...entry.open }] : [],
    );
    const inOrder = others.sort((a, b) => Math.min(a.leases, 1) - Math.min(b.leases, 1) || a.used - b.used);
    const left = (): number => openBytes() - modelBytes;
    let going = [...leaving.values()].reduce((sum, each) => sum + each, 0);
    for (const { entry, bytes: freed } of inOrder) {
      if (left() - going <= 0) break;
      evict(entry);
      going += freed;
    }
    // Answers under way keep their models: those end before another model takes their place.
    const until = performance.now() + longestWait;
    while (left() > 0 && leaving.size > 0) {
      const time = until - performance.now();
      if (time <= 0)
        throw new FuzzError('overloaded', 'answers under way take all memory for models', {
          hint: 'Send the request again, later, or raise modelBytes.',
          retryAfter: longestWait / 1000,
        });
      await Promise.race([...leaving.keys(), sleep(time, undefined, { ref: false })]);
    }
  };
  const put = async (entry: Entry, model: ShelvedModel, engine: Engine): Promise<void> => {
    if (isClosed || entry.model !== model) {
      await engine.close();
      throw new FuzzError(
        'interrupted',
        'the model was replaced, or the models were closed, while it opened',
      );
    }
    const replaced = registry.put(model.name, engine, model.version);
    entry.open = { engine, bytes: model.bytes, leases: 0, used: ++uses };
    entry.failure = undefined;
    // The end of the former version, which long answers may hold up.
    replaced.catch(() => undefined);
  };
  const openOne = async (entry: Entry): Promise<void> => {
    const { model } = entry;
    if (model === undefined) throw entry.failure?.error;
    const begun = performance.now();
    let isReserved = false;
    try {
      // Others are not closed for a bundle that cannot be opened.
      if (openBytes() + model.bytes > modelBytes) await model.check?.();
      reserved += model.bytes;
      isReserved = true;
      await takeRoom();
      await put(entry, model, await model.open());
      observer.opened(entry.name, (performance.now() - begun) / 1000);
    } catch (error) {
      if (entry.model !== model && !isClosed) return await openOne(entry);
      // A lack of room is no fault of the bundle.
      if (isClosed || (error instanceof FuzzError && error.code === 'overloaded')) throw error;
      if (reasonOf(entry.failure?.error) !== reasonOf(error)) observer.failed(entry.name, error);
      entry.failure = { error, at: performance.now() };
      throw error;
    } finally {
      if (isReserved) reserved -= model.bytes;
    }
  };
  const opening = (entry: Entry, isAsked: boolean): Promise<void> => {
    const { failure } = entry;
    const isPaused =
      failure !== undefined &&
      !isPassing(failure.error) &&
      performance.now() - failure.at < pauseAfterFailure;
    if (entry.model === undefined || isPaused) return Promise.reject(toAskers(entry.name, failure?.error));
    entry.opening ??= line
      .take(isAsked, () => openOne(entry))
      .finally(() => {
        entry.opening = undefined;
      });
    return entry.opening;
  };
  const leaseOf = (entry: Entry, lease: ModelLease): ModelLease => {
    const { open } = entry;
    if (open === undefined) return lease;
    open.leases += 1;
    open.used = ++uses;
    let released = false;
    return {
      ...lease,
      retain: () => leaseOf(entry, lease.retain()),
      release() {
        if (!released) open.leases -= 1;
        released = true;
        lease.release();
      },
    };
  };
  const leaseFirstOpened = async (entry: Entry): Promise<ModelLease> => {
    try {
      await opening(entry, true);
    } catch (cause) {
      throw toAskers(entry.name, cause);
    }
    // It may have been evicted again, for others that waited.
    return entry.open === undefined ? leaseFirstOpened(entry) : leaseOf(entry, registry.acquire(entry.name));
  };
  const entryOf = (name: string): Entry => {
    const entry = entries.get(name) ?? {
      name,
      ...{ model: undefined, open: undefined, opening: undefined, failure: undefined },
    };
    entries.set(name, entry);
    return entry;
  };

  return {
    get names() {
      return [...entries.keys()];
    },
    get ready() {
      if (isClosed || !isWarm) return false;
      const all = [...entries.values()];
      return all.some(({ failure, open }) => open?.engine.ready ?? failure === undefined);
    },
    get bytes() {
      return openBytes();
    },
    workers,
    find(name = entries.keys().next().value) {
      const { model, open } = (name === undefined ? undefined : entries.get(name)) ?? {};
      return open && { name: name!, version: model?.version ?? '0', engine: open.engine };
    },
    list() {
      const open = new Map(registry.list().map((model) => [model.name, model]));
      return [...entries.keys()].flatMap((name) => open.get(name) ?? []);
    },
    closed: () =>
      [...entries.values()]
        .filter(({ open }) => open === undefined)
        .map(({ name, model, opening, failure }) => ({
          name,
          version: model?.version ?? '0',
          status: opening !== undefined ? 'opening' : failure === undefined ? 'closed' : 'failed',
          ...(failure !== undefined && opening === undefined ? { reason: reasonOf(failure.error) } : {}),
        })),
    acquire(name = entries.keys().next().value) {
      if (isClosed) throw new FuzzError('runtime', 'the models are closed', { passing: true });
      if (name === undefined || !isWarm)
        throw new FuzzError('runtime', 'the model is not open yet', { passing: true });
      const entry = entries.get(name);
      if (entry === undefined)
        throw new RequestError('not-found', `no such model: ${name}`, 'GET /v1/models lists them.');
      return entry.open === undefined ? leaseFirstOpened(entry) : leaseOf(entry, registry.acquire(name));
    },
    async shelve(model) {
      const entry = entryOf(model.name);
      const former = entry.model;
      entry.model = model;
      if (entry.open === undefined) {
        entry.failure = undefined;
        return;
      }
      try {
        await put(entry, model, await model.open());
      } catch (cause) {
        if (entry.model === model) entry.model = former;
        throw cause;
      }
    },
    shelveFailed(name, error) {
      observer.failed(name, error);
      entryOf(name).failure = { error, at: Number.POSITIVE_INFINITY };
    },
    async warmUp(count) {
      let left = count;
      for (const entry of entries.values()) {
        const { model } = entry;
        if (left === 0 || isClosed || model === undefined) continue;
        if (left < count && openBytes() + model.bytes > modelBytes) break;
        left -= 1;
        await opening(entry, false).catch(() => undefined);
      }
      isWarm = true;
      const all = [...entries.values()];
      const failed = all.find(({ failure }) => failure !== undefined);
      if (failed !== undefined && all.every(({ failure }) => failure !== undefined))
        throw failed.failure?.error;
    },
    async put(name, engine, version) {
      entryOf(name).open = { engine, bytes: 0, leases: 0, used: ++uses };
      await registry.put(name, engine, version);
    },
    async remove(name) {
      entries.delete(name);
      await registry.remove(name);
    },
    watch: registry.watch,
    async close() {
      isClosed = true;
      await registry.close();
      await Promise.all(leaving.keys());
    },
  };
}

/** Milliseconds that a model waits for others to end their answers. */
const longestWait = 5000;
/** Milliseconds after which a model that could not be opened is tried again. */
const pauseAfterFailure = 10_000;
