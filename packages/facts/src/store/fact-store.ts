import type { EntityNames } from './entity-names.ts';

/** The keys of a fact in the vocabulary, never ids. */
export interface FactKeys {
  readonly head: string;
  readonly relation: string;
  readonly tail: string;
}

/**
 * What a change does.
 *
 * - `add` records a fact.
 * - `reject` says that a link is no fact.
 * - `remove` takes a fact or a rejection back: the store then knows nothing of the link.
 */
export type ChangeKind = 'add' | 'remove' | 'reject';

/** One change of a fact, with its provenance. */
export interface FactChange extends FactKeys {
  readonly does: ChangeKind;
  /** Where the change comes from, kept as given. */
  readonly source?: string;
  /** When the source says so, kept as given. */
  readonly date?: string;
  /** How sure the source is, in (0, 1]: the degree of the fact. Default: 1. */
  readonly confidence?: number;
  /** The first moment at which the fact holds: `2001`, `2001-05`, `2001-05-31` or `2001-05-31T10:00Z`. Default: it always held. */
  readonly from?: string;
  /** The first moment at which the fact no longer holds, not before `from`. Default: it holds for ever. */
  readonly until?: string;
  /** Of a judgement: the degree in [0, 1] that the link had before somebody added or rejected it. */
  readonly said?: number;
}

/** The keys of entities and relations that are new with a batch; a graph that has such a key keeps it as it is. */
export interface NewKeys {
  readonly entities?: readonly string[];
  /** Forwards. */
  readonly relations?: readonly string[];
}

/** Changes that take effect together. */
export interface FactBatch {
  /** 1, 2, 3, …: each is one more than the epoch before. */
  readonly epoch: number;
  /** Time of the write by the clock of the caller: ISO 8601. */
  readonly at: string;
  /** Who wrote: the name of a key, kept as given. */
  readonly by?: string;
  /** Tells a repeated batch from a new one. */
  readonly idempotencyKey?: string;
  /** What readers make before the changes. Default: nothing, so that a name that a graph lacks is an error there. */
  readonly creates?: NewKeys;
  /** What entities are called from now on; a later label, list of aliases or attribute of the same entity wins. */
  readonly names?: readonly EntityNames[];
  /** The changes in order; a later change of the same fact wins. Empty only in a batch of names. */
  readonly changes: readonly FactChange[];
}

/** A batch that a caller appends: the store gives it its epoch. */
export type NewFactBatch = Omit<FactBatch, 'epoch'>;

/** How a store follows another server. */
export interface FollowState {
  /** The address of the server that takes batches. */
  readonly writer: string;
  /** `away`: the server does not answer. `refused`: its facts do not go on from those of the store. */
  readonly state: 'following' | 'away' | 'refused';
  /** Seconds since the server was last heard; 20 and more are usual only for a server that is away. */
  readonly heardSeconds: number;
}

/** A store of changes to the facts of a graph. */
export interface FactStore {
  /** Identity of the store, made once: epochs of another store mean nothing here. */
  readonly id: string;
  /** Epoch of the last durable batch; 0 of an empty store. */
  readonly epoch: number;
  /**
   * Appends a batch whole, and resolves to its epoch when the batch is durable.
   *
   * Concurrent calls share one flush and keep the order of the calls. A batch with one of the last 10 000 idempotency keys of the store
   * writes nothing, and resolves to the epoch of the earlier batch.
   *
   * @throws FuzzError `data`: a batch that is invalid or too large. `storage`: a disk that is full or fails, or a server that is away;
   *   the store goes on without the batch, except where the message says that the batch may be kept. `runtime`: the store is closed, or another process writes.
   */
  append(batch: NewFactBatch): Promise<number>;
  /**
   * The durable batches after an epoch, in order.
   *
   * @throws FuzzError `range`: an epoch that is no integer, negative, ahead of the store, or older than compaction kept. `data`: damage.
   */
  since(epoch: number): AsyncIterable<FactBatch>;
  /**
   * Replaces the batches so far by one with the last change of each fact and of each part of the names of an entity; `since` then begins at 0 or at the epoch of this batch.
   *
   * A removal stays, because the store does not know which facts the graph has without it. Changes above 64 MiB become several batches,
   * the last of which has the epoch of the store.
   */
  compact(): Promise<void>;
  /** Of a store that follows another server, which alone takes batches. */
  readonly follows?: FollowState;
  /**
   * Tells of batches that others appended: `onEpoch` gets the epoch up to which all batches are durable. The result ends it.
   *
   * Left out of a store that one process has for itself.
   */
  arrivals?(onEpoch: (epoch: number) => void): () => void;
  /** Waits for what is under way, and lets go of the store. */
  close(): Promise<void>;
}

/** A store to which several processes append. */
export type SharedFactStore = FactStore & Required<Pick<FactStore, 'arrivals'>>;
