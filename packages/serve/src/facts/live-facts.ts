import { type GivenWriter, RequestError, type WrittenFacts } from '@fuzzqe/api';
import { modesOf } from '@fuzzqe/bundle';
import { FuzzError, isPassing, messageOf, type Vocabulary } from '@fuzzqe/core';
import { type Engine, type FactProvenance, type ReadOptions, readWithNames } from '@fuzzqe/engine';
import {
  createSerial,
  type FactBatch,
  type FactChange,
  type FactKeys,
  type FactStore,
  type NewFactBatch,
} from '@fuzzqe/facts';
import {
  type AppliedBatch,
  type ChangedEntity,
  type Counts,
  type EngineFacts,
  engineFacts,
  epochHeader,
  type KnownProvenance,
  keyIds,
  keysOfIds,
  type NamedChange,
  nameEntities,
  nameFacts,
  nameNewFacts,
} from '@fuzzqe/facts/apply';
import { type EpochSource, storeHeader } from '../epochs/epoch-gate.ts';
import { createEpochWaits } from '../epochs/epoch-waits.ts';

/** What a change of names came to. */
export interface NamesWritten extends Pick<WrittenFacts, 'epoch' | 'repeated'> {
  /** Entities whose names or attributes were set. */
  readonly changed: number;
}

/** A store of facts, and the engines that answer by its facts. */
export interface LiveFacts extends EpochSource {
  readonly store: Pick<FactStore, 'id' | 'epoch' | 'since' | 'follows'>;
  /**
   * Brings an engine to the facts of the store, and keeps it there: writes are visible in it from then on. Names are those of the engine
   * that came last.
   *
   * @throws FuzzError `usage`: a bundle without facts. `data`: the store has a name that the graph of the engine lacks, with the epoch. As `changeFacts` and `since`.
   */
  follow(engine: Engine): Promise<void>;
  /** Lets go of an engine, which stays as it is. */
  leave(engine: Engine): void;
  /**
   * Writes changes as one batch: durable first, then visible; of several changes of a fact the last wins.
   *
   * @throws FuzzError `vocabulary`: names that the graph lacks. `range`: a batch that is too large. `storage`: the store fails; answers go on. `runtime`: no engine is there,
   *   or an engine failed to change. RequestError `misdirected`: the store follows another server.
   */
  write(changes: readonly NamedChange[], options?: GivenWriter): Promise<WrittenFacts>;
  /**
   * Takes back the facts and rejections that a source gave last, as one batch; where there are none, nothing is written.
   *
   * @throws FuzzError: as `write`.
   */
  removeSource(source: string, options?: GivenWriter): Promise<WrittenFacts>;
  /**
   * Changes labels, further names and attributes of entities as one batch: durable first, then visible.
   *
   * @throws FuzzError `vocabulary` and `usage`: as `nameEntities`. Else as `write`.
   */
  rename(changes: readonly ChangedEntity[], options?: GivenWriter): Promise<NamesWritten>;
  /**
   * Whether a fact is recorded now, by any name that queries know, and where it comes from.
   *
   * @throws FuzzError `vocabulary`: names that the graph lacks. `runtime`: no engine is there.
   */
  find(fact: NamedChange, reading?: ReadOptions): Promise<FoundFact>;
  /** Whether an engine has the facts. */
  readonly isThere: boolean;
  /** The engine that answers, and what its facts come from. Throws: `runtime`, no engine is there. */
  newest(): EngineFacts;
  /** Lets requests go that wait for an epoch. */
  endWaits(): void;
  /** Waits for writes under way, and closes the store. */
  close(): Promise<void>;
}

/** A fact by its keys, and what is known of it. */
export interface FoundFact extends FactKeys {
  readonly recorded: boolean;
  /** Whether somebody rejected the link. */
  readonly rejected?: true;
  readonly provenance?: FactProvenance;
}

/** How a store and engines are put together. */
export interface LiveFactsOptions {
  /** Hears why batches that others appended are not visible; they are tried again with the next batch. */
  readonly onError?: (error: unknown) => void;
}

/** A durable batch that waits until engines have it. */
interface Appended extends AppliedBatch {
  readonly repeated: boolean;
  readonly resolve: (counts: Counts) => void;
  readonly reject: (cause: unknown) => void;
}

/** Facts of a replay that are applied at once: more if no engine answers yet, since each change may copy the graph. */
const replayedAtOnce = { first: 1_000_000, later: 100_000 } as const;

/** Epochs whose counts are kept for writers: a store may tell of a batch before its writer hears of it. */
const keptCounts = 1024;

/**
 * Puts a store and engines together.
 *
 * @param store is closed with the result.
 * @example
 * const live = createLiveFacts(await openFactLog('facts'));
 * await live.follow(engine);
 */
export function createLiveFacts(store: FactStore, { onError = () => {} }: LiveFactsOptions = {}): LiveFacts {
  let engines: readonly EngineFacts[] = [];
  /** The epoch that engines have. */
  const visible = createEpochWaits(store.epoch);
  const headersNow = () => ({ [epochHeader]: `${visible.epoch}`, [storeHeader]: store.id });
  let headers = headersNow();
  /** The last epoch that an append gave. */
  let appended = store.epoch;
  let waiting: Appended[] = [];
  const counts = new Map<number, Counts>();
  /** The engine that came last and was not closed: one that does not answer now may be a thread short. */
  const newest = (): EngineFacts | undefined =>
    engines.findLast(({ engine }) => engine.ready) ?? engines.at(-1);
  const inSerial = createSerial();
  let retry: ReturnType<typeof setTimeout> | undefined;
  const expectNewest = (): EngineFacts => {
    const found = newest();
    if (found !== undefined) return found;
    throw new FuzzError('runtime', 'expected an engine that answers, got none yet', {
      passing: true,
      toCallers: 'The facts are being read.',
    });
  };

  const replay = async (followed: EngineFacts, after: number, to: number): Promise<void> => {
    if (after === to) return;
    const atOnce = engines.length === 0 ? replayedAtOnce.first : replayedAtOnce.later;
    await followed.replay(sinceOrAll(store, after), { to, atOnce });
  };

  /** What engines lack: the batches of writers, else as the store has them. */
  const lacking = async (group: readonly Appended[]): Promise<readonly AppliedBatch[]> => {
    const own = group.filter(({ repeated }) => !repeated);
    const last = visible.epoch + own.length;
    const isWhole =
      own.every(({ epoch }, i) => epoch === visible.epoch + 1 + i) &&
      group.every(({ epoch }) => epoch <= last);
    // Others may have appended with the same idempotency key.
    if (store.arrivals === undefined && isWhole) return own;
    const wanted = Math.max(visible.epoch, ...group.map(({ epoch }) => epoch));
    const to = store.arrivals === undefined ? wanted : Math.max(wanted, store.epoch);
    const found: AppliedBatch[] = [];
    if (visible.epoch < to)
      for await (const batch of sinceOrAll(store, visible.epoch)) {
        if (batch.epoch > to && (found.at(-1)?.epoch ?? visible.epoch) >= to) break;
        found.push(batch);
      }
    return found;
  };

  /** Makes what waits visible, all with one change of each engine. */
  const advance = async (): Promise<void> => {
    const group = waiting;
    waiting = [];
    try {
      const batches = await lacking(group);
      const first = newest();
      const made = (await first?.change(batches)) ?? [];
      for (const other of engines)
        if (other !== first)
          // A replaced engine answers what is under way; an engine that was closed is let go.
          await other.change(batches).catch(() => {
            engines = engines.filter((each) => each !== other);
          });
      for (const [i, { epoch }] of batches.entries()) counts.set(epoch, made[i] ?? none);
      for (const epoch of counts.keys()) if (counts.size > keptCounts) counts.delete(epoch);
      visible.rise(batches.at(-1)?.epoch ?? 0);
      headers = headersNow();
      for (const { epoch, repeated, resolve } of group)
        resolve((repeated ? undefined : counts.get(epoch)) ?? none);
    } catch (cause) {
      if (group.length === 0) {
        onError(cause);
        // A store that was away tells of no batch a second time.
        if (isPassing(cause)) retry = setTimeout(advanceSoon, 1000).unref();
      }
      for (const { epoch, reject } of group)
        reject(
          new FuzzError('runtime', `facts of epoch ${epoch} are durable, and could not be made visible`, {
            toCallers: `The facts are durable as epoch ${epoch}, and are visible after the next change or start of the server.`,
            cause,
          }),
        );
    }
  };
  // Appends of one flush resolve in one turn, and become one change.
  const advanceSoon = (): void => void setImmediate(() => void inSerial(advance));
  const stopArrivals = store.arrivals?.(advanceSoon);

  /** Writes changes of keys as one batch, and waits until they are visible. */
  const append = async (
    { creates = {}, names, changes }: Pick<NewFactBatch, 'creates' | 'names' | 'changes'>,
    { by, idempotencyKey }: GivenWriter,
  ): Promise<WrittenFacts> => {
    const created = (creates.entities?.length ?? 0) + (creates.relations?.length ?? 0);
    const batch = {
      at: new Date().toISOString(),
      ...(by === undefined ? {} : { by }),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      ...(created === 0 ? {} : { creates }),
      ...(names === undefined ? {} : { names }),
      changes,
    };
    const before = visible.epoch;
    const epoch = await store.append(batch).catch((cause: unknown) => {
      throw refusedBatch(cause) ?? storeAway(cause);
    });
    // Appends resolve in the order of their epochs, so a lower one is of an earlier write.
    const repeated = epoch <= Math.max(appended, before);
    appended = Math.max(appended, epoch);
    const made = new Promise<Counts>((resolve, reject) => {
      waiting.push({ ...batch, epoch, repeated, resolve, reject });
    });
    advanceSoon();
    const { added, removed, rejected } = await made;
    return {
      epoch,
      added,
      removed,
      ...(rejected === 0 ? {} : { rejected }),
      unchanged: changes.length - added - removed - rejected,
      repeated,
      ...(created === 0 || repeated ? {} : { created }),
    };
  };

  return {
    store,
    get epoch() {
      return visible.epoch;
    },
    get headers() {
      return headers;
    },
    until: visible.until,
    async follow(engine) {
      expectFacts(engine);
      const followed = engineFacts(engine);
      const first = visible.epoch;
      await replay(followed, 0, first);
      await inSerial(async () => {
        await replay(followed, first, visible.epoch);
        engines = [...engines, followed];
      });
    },
    leave(engine) {
      engines = engines.filter((each) => each.engine !== engine);
    },
    async write(changes, options = {}) {
      expectWriter(store);
      const { vocabulary } = expectNewest().engine;
      if (options.create === true) {
        const { facts, creates } = nameNewFacts(vocabulary, changes);
        return append({ creates, changes: facts }, options);
      }
      const read = (names: Vocabulary) => nameFacts(names, changes);
      return append({ changes: await readWithNames(vocabulary, read, options.reading) }, options);
    },
    async removeSource(source, options = {}) {
      expectWriter(store);
      const { engine, provenance } = expectNewest();
      const changes = Array.from(
        provenance.from(source),
        (fact): FactChange => ({ does: 'remove', ...keysOfIds(engine.vocabulary, fact) }),
      );
      if (changes.length > 0) return append({ changes }, options);
      return { epoch: visible.epoch, added: 0, removed: 0, unchanged: 0, repeated: false };
    },
    async rename(changes, options = {}) {
      expectWriter(store, '/v1/entities');
      const { vocabulary, attributeColumns } = expectNewest().engine;
      const columns = changes.some((each) => each.attributes) ? await attributeColumns() : [];
      const read = (known: Vocabulary) => nameEntities(known, columns, changes);
      const names = await readWithNames(vocabulary, read, options.reading);
      const { epoch, repeated } = await append({ names, changes: [] }, options);
      return { epoch, changed: repeated ? 0 : names.length, repeated };
    },
    async find(fact, reading) {
      const { engine } = expectNewest();
      const { vocabulary, facts } = engine;
      const { head, relation, tail } = await readWithNames(
        vocabulary,
        (names) => nameFacts(names, [fact])[0]!,
        reading,
      );
      const ids = keyIds(vocabulary, { head, relation, tail });
      const { rejected, ...known }: KnownProvenance = engine.provenanceOf(...ids) ?? {};
      return {
        ...{ head, relation, tail, recorded: facts.has(...ids) },
        ...(rejected === undefined ? {} : { rejected }),
        ...(Object.keys(known).length === 0 ? {} : { provenance: known }),
      };
    },
    get isThere() {
      return engines.length > 0;
    },
    newest: expectNewest,
    endWaits: visible.end,
    async close() {
      stopArrivals?.();
      clearTimeout(retry);
      visible.end();
      await inSerial(advance);
      await store.close();
    },
  };
}

/** Refuses changes of a store that follows another server. Throws: RequestError `misdirected`. */
export function expectWriter({ follows }: Pick<FactStore, 'follows'>, path = '/v1/facts'): void {
  if (follows === undefined) return;
  const { writer } = follows;
  throw new RequestError(
    'misdirected',
    `facts: expected the server that writes, got a server that follows ${writer}`,
    `Send changes to ${writer}${path}.`,
    { location: `${writer}${path}` },
  );
}

const none: Counts = { added: 0, removed: 0, rejected: 0 };

/** The batches after an epoch, or all: the last change of each fact is right after whatever came before. */
async function* sinceOrAll(store: FactStore, epoch: number): AsyncIterable<FactBatch> {
  let isBegun = false;
  try {
    for await (const batch of store.since(epoch)) {
      isBegun = true;
      yield batch;
    }
  } catch (cause) {
    const isCompacted = cause instanceof FuzzError && cause.code === 'range' && !isBegun && epoch !== 0;
    if (!isCompacted) throw cause;
    yield* store.since(0);
  }
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
