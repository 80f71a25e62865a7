/** The keys of a fact in the vocabulary, never ids. */
export interface FactKeys {
  readonly head: string;
  readonly relation: string;
  readonly tail: string;
}

/** One change of a fact, with its provenance. */
export interface FactChange extends FactKeys {
  readonly does: 'add' | 'remove';
  /** Where the change comes from, kept as given. */
  readonly source?: string;
  /** When the source says so, kept as given. */
  readonly date?: string;
  /** How sure the source is, in (0, 1]: the degree of the fact. Default: 1. */
  readonly confidence?: number;
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
  /** The changes in order; a later change of the same fact wins. */
  readonly changes: readonly FactChange[];
}

/** A batch that a caller appends: the store gives it its epoch. */
export type NewFactBatch = Omit<FactBatch, 'epoch'>;

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
   * @throws FuzzError `data`: a batch that is invalid or too large. `storage`: a disk that is full or fails; the store goes on without
   *   the batch. `runtime`: the store is closed, or another process writes.
   */
  append(batch: NewFactBatch): Promise<number>;
  /**
   * The durable batches after an epoch, in order.
   *
   * @throws FuzzError `range`: an epoch that is no integer, negative, ahead of the store, or older than compaction kept. `data`: damage.
   */
  since(epoch: number): AsyncIterable<FactBatch>;
  /**
   * Replaces the batches so far by one with the last change of each fact; `since` then begins at 0 or at the epoch of this batch.
   *
   * A removal stays, because the store does not know which facts the graph has without it. Changes above 64 MiB become several batches,
   * the last of which has the epoch of the store.
   */
  compact(): Promise<void>;
  /** Waits for what is under way, and lets go of the store. */
  close(): Promise<void>;
}
