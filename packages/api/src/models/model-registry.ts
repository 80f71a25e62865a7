import { describeValue, FuzzError } from '@fuzzqe/core';
import { checkForms, type Engine, has, texts } from '@fuzzqe/engine';
import { RequestError } from '../errors/request-error.ts';

/** One version of a model that answers requests. */
export interface Model {
  readonly name: string;
  /** What tells it from other versions of the name, for people and for addresses. */
  readonly version: string;
  readonly engine: Engine;
}

/** A model for the time of one request: it stays open until it is released. */
export interface ModelLease extends Model {
  /** Another lease of the same version, for work that outlasts the request's handler. */
  retain(): ModelLease;
  /** Ends the lease; further calls do nothing. */
  release(): void;
}

/** A model that is not open: requests for it wait until it is opened, or hear why it cannot be. */
export interface ClosedModel {
  readonly name: string;
  readonly version: string;
  readonly status: 'closed' | 'opening' | 'failed';
  /** Why it could not be opened, as callers may know it. */
  readonly reason?: string | undefined;
}

/** Hears which engines a registry holds, each once. */
export interface ModelWatcher {
  /** It answers from now on. */
  held(model: Model): void;
  /** It has answered its last request, and is about to be closed. */
  left(model: Model): void;
}

/** The models that one application answers from, by name. */
export interface ModelRegistry {
  /** The names that there are or will be, the default first. */
  readonly names: readonly string[];
  /** Whether every name has a model that is ready, or that opens when it is asked for. */
  readonly ready: boolean;
  /** The models in use now, the default first. */
  list(): readonly Model[];
  /** The model of a name, by default of the first, if it is open; where there may be many. Default: it is looked for in the list. */
  find?(name?: string): Model | undefined;
  /** The models that are not open, in a registry that opens models when they are asked for. */
  closed?(): readonly ClosedModel[];
  /**
   * The current version of a model, by default of the first name; a promise where it is opened for this request.
   *
   * @throws RequestError `not-found`: no such name. FuzzError `runtime`: it is not open yet, or no longer, or there is no name at all.
   */
  acquire(name?: string): ModelLease | Promise<ModelLease>;
  /**
   * Lets a version answer all requests from now on. The one that it replaces is closed when its last lease ends, which the
   * promise waits for. Going back is the same: with the former engine while that is still in use, else with the former
   * version opened again.
   *
   * @throws FuzzError `usage`: the engine is none, is closed, or answers for another name.
   */
  put(name: string, engine: Engine, version?: string): Promise<void>;
  /** Takes a name away, and waits for its leases to end and its engine to close. */
  remove(name: string): Promise<void>;
  /** Tells of the engines that it holds, and of each that comes or leaves from now on. */
  watch(watcher: ModelWatcher): void;
  /** Refuses new leases, waits for those that are out, and closes all engines. */
  close(): Promise<void>;
}

/** A registry whose models are put in, each by whoever opened it. */
export interface FilledRegistry extends ModelRegistry {
  acquire(name?: string): ModelLease;
}

interface Held extends Model {
  leases: number;
  /** While it is replaced and not yet closed: for those who wait for its end, which also comes by being put back. */
  leaving?: { readonly end: Promise<void>; readonly settle: (closing?: Promise<void>) => void };
}

/**
 * Counts the requests that each version of a model answers, so that versions are replaced without a dropped request.
 *
 * @param expected names that are being opened: asking for them is answered 503 instead of 404 until then.
 * @throws FuzzError `usage`: no array of names.
 * @example
 * const models = createModelRegistry(['countries']);
 * await models.put('countries', engine, '2');
 */
export function createModelRegistry(expected: readonly string[] = []): FilledRegistry {
  checkForms({ expected }, { expected: texts }, 'usage', '$', "Put the names in brackets: ['countries'].");
  const current = new Map<string, Held | undefined>(expected.map((name) => [name, undefined]));
  const leaving = new Set<Held>();
  const watchers: ModelWatcher[] = [];
  let closed = false;

  const closeIfUnused = (held: Held): void => {
    if (held.leaving === undefined || held.leases > 0) return;
    leaving.delete(held);
    for (const watcher of watchers) watcher.left(modelOf(held));
    held.leaving.settle(held.engine.close());
  };
  const retire = (held: Held | undefined): Promise<void> => {
    if (held === undefined) return Promise.resolve();
    let settle: NonNullable<Held['leaving']>['settle'] = () => undefined;
    const end = new Promise<void>((resolve) => {
      settle = resolve;
    });
    held.leaving = { end, settle };
    leaving.add(held);
    closeIfUnused(held);
    return end;
  };
  const leaseOf = (held: Held): ModelLease => {
    const { name, version, engine } = held;
    held.leases++;
    let released = false;
    return {
      name,
      version,
      engine,
      retain: () => leaseOf(held),
      release() {
        if (released) return;
        released = true;
        held.leases--;
        closeIfUnused(held);
      },
    };
  };
  const heldModels = (): Held[] => [...current.values()].filter((held) => held !== undefined);

  return {
    get names() {
      return [...current.keys()];
    },
    get ready() {
      const all = [...current.values()];
      return !closed && all.length > 0 && all.every((held) => held?.engine.ready === true);
    },
    list: () => heldModels().map(modelOf),
    acquire(name = [...current.keys()][0]) {
      if (closed) throw new FuzzError('runtime', 'the models are closed', { passing: true });
      // Before the first model, nobody can tell which names there will be.
      if (name !== undefined && current.size > 0 && !current.has(name)) {
        throw new RequestError('not-found', `no such model: ${name}`, 'GET /v1/models lists them.');
      }
      const held = name === undefined ? undefined : current.get(name);
      if (held === undefined) throw new FuzzError('runtime', 'the model is not open yet', { passing: true });
      return leaseOf(held);
    },
    put(name, engine, version = '1') {
      const refuse = (what: string, hint?: string): Promise<void> =>
        Promise.reject(new FuzzError('usage', `model ${name}: ${what}`, hint === undefined ? {} : { hint }));
      if (closed) return refuse('the models are closed');
      if (!has(engine, 'close')) return refuse(`expected an engine, got ${describeValue(engine)}`);
      // It is told to clients as text, and would be another version than its text is.
      if (typeof version !== 'string')
        return refuse(`expected its version as text, got ${describeValue(version)}`);
      const known = [...heldModels(), ...leaving].find((held) => held.engine === engine);
      if (known !== undefined && (known.name !== name || known.version !== version))
        return refuse(
          `its engine already answers as ${known.name}, version ${known.version}`,
          'Open the bundle again.',
        );
      if (known === undefined && !engine.ready)
        return refuse('its engine is closed', 'Open the bundle again.');
      const former = current.get(name);
      if (known !== undefined && known === former) return Promise.resolve();
      if (known !== undefined) {
        leaving.delete(known);
        known.leaving?.settle();
        delete known.leaving;
      }
      const held = known ?? { name, version, engine, leases: 0 };
      current.set(name, held);
      if (known === undefined) for (const watcher of watchers) watcher.held(modelOf(held));
      return retire(former);
    },
    remove(name) {
      const held = current.get(name);
      current.delete(name);
      return retire(held);
    },
    watch(watcher) {
      watchers.push(watcher);
      for (const held of [...heldModels(), ...leaving]) watcher.held(modelOf(held));
    },
    async close() {
      closed = true;
      const open = heldModels();
      current.clear();
      const ending = [...leaving].map((held) => held.leaving?.end);
      await Promise.all([...open.map(retire), ...ending]);
    },
  };
}

const modelOf = ({ name, version, engine }: Held): Model => ({ name, version, engine });
