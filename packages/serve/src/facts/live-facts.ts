import { modesOf } from '@fuzzqe/bundle';
import { FuzzError, isPassing, messageOf, type Vocabulary } from '@fuzzqe/core';
import { type Engine, type FactProvenance, type ReadOptions, readWithNames } from '@fuzzqe/engine';
import { createSerial, type FactBatch, type FactChange, type FactKeys, type FactStore } from '@fuzzqe/facts';
import { createNetIds, type FactCounts, keyIds, keysOfIds } from './fact-ids.ts';
import { type NamedChange, nameFacts } from './name-facts.ts';
import { createProvenanceIndex, type ProvenanceIndex } from './provenance-index.ts';

/** Who writes, and how often. */
export interface WriteOptions {
  /** The name of a key. */
  readonly by?: string | undefined;
  /** Tells a repeated write from a new one. */
  readonly idempotencyKey?: string | undefined;
  /** How names are looked for. Default: without limits. */
  readonly reading?: ReadOptions;
}

/** What a write came to. */
export interface FactsWritten extends FactCounts {
  /** Epoch of the store at which the write is durable and visible. */
  readonly epoch: number;
  /** Whether an earlier write had the same idempotency key, so that nothing was written. */
  readonly repeated: boolean;
}

/** A store of facts, and the engines that answer by its facts. */
export interface LiveFacts {
  readonly store: Pick<FactStore, 'id' | 'epoch' | 'since'>;
  /**
   * Brings an engine to the facts of the store, and keeps it there: writes are visible in it from then on. Names are those of the engine
   * that came last.
   *
   * @throws FuzzError `usage`: a bundle without facts. `data`: the store has a name that the graph of the engine lacks, with the epoch. As `changeFacts` and `since`.
   */
  follow(engine: Engine): Promise<void>;
  /**
   * Writes changes as one batch: durable first, then visible; of several changes of a fact the last wins.
   *
   * @throws FuzzError `vocabulary`: names that the graph lacks. `range`: a batch that is too large. `storage`: the store fails; answers go on. `runtime`: no engine is there,
   *   or an engine failed to change.
   */
  write(changes: readonly NamedChange[], options?: WriteOptions): Promise<FactsWritten>;
  /**
   * Removes the facts that a source added last, as one batch; where there are none, nothing is written.
   *
   * @throws FuzzError: as `write`.
   */
  removeSource(source: string, options?: WriteOptions): Promise<FactsWritten>;
  /**
   * Whether a fact is recorded now, by any name that queries know, and where it comes from.
   *
   * @throws FuzzError `vocabulary`: names that the graph lacks. `runtime`: no engine is there.
   */
  find(fact: NamedChange, reading?: ReadOptions): Promise<FoundFact>;
  /** Waits for writes under way, and closes the store. */
  close(): Promise<void>;
}

/** A fact by its keys, and what is known of it. */
export interface FoundFact extends FactKeys {
  readonly recorded: boolean;
  readonly provenance?: FactProvenance;
}

/** A durable batch that waits until engines have it. */
interface Appended extends Omit<FactBatch, 'idempotencyKey'> {
  readonly repeated: boolean;
  readonly resolve: (written: FactsWritten) => void;
  readonly reject: (cause: unknown) => void;
}

/** Facts of a replay that are applied at once: more if no engine answers yet, since each change may copy the graph. */
const replayedAtOnce = { first: 1_000_000, later: 100_000 } as const;

/**
 * Puts a store and engines together.
 *
 * @param store is closed with the result.
 * @example
 * const live = createLiveFacts(await openFactLog('facts'));
 * await live.follow(engine);
 */
export function createLiveFacts(store: FactStore): LiveFacts {
  let engines: readonly Engine[] = [];
  /** The epoch that engines have. */
  let visible = store.epoch;
  /** The last epoch that an append gave. */
  let appended = store.epoch;
  let waiting: Appended[] = [];
  /** The engine that came last and was not closed: one that does not answer now may be a thread short. */
  const newest = (): Engine | undefined => engines.findLast(({ ready }) => ready) ?? engines.at(-1);
  const inSerial = createSerial();
  /** By the ids of each engine. */
  const provenances = new WeakMap<Engine, ProvenanceIndex>();
  const provenanceIn = (engine: Engine): ProvenanceIndex => {
    const known = provenances.get(engine);
    if (known !== undefined) return known;
    const made = createProvenanceIndex();
    provenances.set(engine, made);
    engine.tellProvenance((head, relation, tail) =>
      made.of(relation % 2 === 0 ? [head, relation, tail] : [tail, relation - 1, head]),
    );
    return made;
  };
  const netOf = (engine: Engine) => createNetIds(engine, provenanceIn(engine));
  const expectEngine = (): Engine => {
    const engine = newest();
    if (engine !== undefined) return engine;
    throw new FuzzError('runtime', 'expected an engine that answers, got none yet', {
      passing: true,
      toCallers: 'The facts are being read.',
    });
  };

  const replay = async (engine: Engine, after: number, to: number): Promise<void> => {
    if (after === to) return;
    const net = netOf(engine);
    const atOnce = engines.length === 0 ? replayedAtOnce.first : replayedAtOnce.later;
    for await (const batch of store.since(after)) {
      const { epoch } = batch;
      if (epoch > to) break;
      try {
        net.take(batch);
      } catch (cause) {
        throw new FuzzError('data', `facts of epoch ${epoch}: ${messageOf(cause)}`, {
          hint: 'Serve a bundle whose graph has these names, or another folder of facts.',
          cause,
        });
      }
      if (net.size >= atOnce) await net.apply();
    }
    if (net.size > 0) await net.apply();
  };

  /** Makes what waits visible, all with one change of each engine. */
  const applyWaiting = async (): Promise<void> => {
    const group = waiting;
    waiting = [];
    const first = newest();
    if (group.length === 0 || first === undefined) return;
    try {
      const net = netOf(first);
      const counts = group.map((batch) => net.count(batch));
      await net.apply();
      for (const engine of engines) if (engine !== first) await applyToOther(engine, group);
      visible = Math.max(visible, ...group.map(({ epoch }) => epoch));
      for (const [i, { epoch, repeated, resolve }] of group.entries())
        resolve({ epoch, ...counts[i]!, repeated });
    } catch (cause) {
      for (const { epoch, reject } of group)
        reject(
          new FuzzError('runtime', `facts of epoch ${epoch} are durable, and could not be made visible`, {
            toCallers: `The facts are durable as epoch ${epoch}, and are visible after the next start of the server.`,
            cause,
          }),
        );
    }
  };
  /** A replaced engine answers what is under way; one that was closed is let go. */
  const applyToOther = async (engine: Engine, group: readonly Appended[]): Promise<void> => {
    try {
      const net = netOf(engine);
      for (const batch of group) net.take(batch);
      await net.apply();
    } catch {
      engines = engines.filter((each) => each !== engine);
    }
  };

  /** Writes changes of keys as one batch, and waits until they are visible. */
  const append = async (
    changes: readonly FactChange[],
    { by, idempotencyKey }: WriteOptions,
  ): Promise<FactsWritten> => {
    const batch = {
      at: new Date().toISOString(),
      ...(by === undefined ? {} : { by }),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      changes,
    };
    const epoch = await store.append(batch).catch((cause: unknown) => {
      throw refusedBatch(cause) ?? storeAway(cause);
    });
    // Appends resolve in the order of their epochs, so a lower one is of an earlier write.
    const repeated = epoch <= appended;
    appended = Math.max(appended, epoch);
    const written = new Promise<FactsWritten>((resolve, reject) => {
      waiting.push({ ...batch, epoch, changes: repeated ? [] : changes, repeated, resolve, reject });
    });
    // Appends of one flush resolve in one turn, and become one change.
    setImmediate(() => void inSerial(applyWaiting));
    const { added, removed, unchanged } = await written;
    return { epoch, added, removed, unchanged: repeated ? changes.length : unchanged, repeated };
  };

  return {
    store,
    async follow(engine) {
      expectFacts(engine);
      const first = visible;
      await replay(engine, 0, first);
      await inSerial(async () => {
        await replay(engine, first, visible);
        engines = [...engines, engine];
      });
    },
    async write(changes, options = {}) {
      const { vocabulary } = expectEngine();
      const read = (names: Vocabulary) => nameFacts(names, changes);
      return append(await readWithNames(vocabulary, read, options.reading), options);
    },
    async removeSource(source, options = {}) {
      const engine = expectEngine();
      const changes = Array.from(
        provenanceIn(engine).from(source),
        (fact): FactChange => ({ does: 'remove', ...keysOfIds(engine.vocabulary, fact) }),
      );
      if (changes.length > 0) return append(changes, options);
      return { epoch: visible, added: 0, removed: 0, unchanged: 0, repeated: false };
    },
    async find(fact, reading) {
      const engine = expectEngine();
      const { vocabulary, facts } = engine;
      const { head, relation, tail } = await readWithNames(
        vocabulary,
        (names) => nameFacts(names, [fact])[0]!,
        reading,
      );
      const ids = keyIds(vocabulary, { head, relation, tail });
      const provenance = provenanceIn(engine).of(ids);
      return {
        ...{ head, relation, tail, recorded: facts.has(...ids) },
        ...(provenance === undefined ? {} : { provenance }),
      };
    },
    async close() {
      await inSerial(applyWaiting);
      await store.close();
    },
  };
}

/** Refuses an engine of a bundle without facts. Throws: `usage`. */
function expectFacts({ manifest }: Engine): void {
  if (modesOf(manifest).includes('sets')) return;
  throw new FuzzError('usage', `facts: expected a bundle with facts, got ${manifest.name} without`, {
    hint: 'Serve a bundle that was exported for servers.',
  });
}

/** The error of a batch that the store would never take: it is too large, or has a text that is. */
function refusedBatch(cause: unknown): FuzzError | undefined {
  if (!(cause instanceof FuzzError) || cause.code !== 'data') return undefined;
  const { message, path, hint } = cause;
  return new FuzzError('range', message, {
    ...(path === undefined ? {} : { path }),
    ...(hint === undefined ? {} : { hint }),
    cause,
  });
}

/** The error of a store that fails: reads go on. */
function storeAway(cause: unknown): FuzzError {
  const passing = isPassing(cause);
  return new FuzzError('storage', `the store of facts took no batch: ${messageOf(cause)}`, {
    passing: true,
    retryAfter: passing ? 1 : 10,
    toCallers: 'The store of facts takes no changes at the moment. Queries are answered.',
    cause,
  });
}
