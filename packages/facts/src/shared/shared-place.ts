import type { FactBatch } from '../store/fact-store.ts';
import type { WaitingBatch } from '../store/number-batches.ts';

/** How far a store is. */
export interface Head {
  /** Epoch of the last durable batch. */
  readonly epoch: number;
  /** Epoch up to which batches were joined; 0 if none were. */
  readonly compacted: number;
}

/** What a write did. */
export interface GroupWritten {
  /** Epoch of the last batch afterwards. */
  readonly after: number;
  /** Epoch of each batch of the group. */
  readonly epochs: readonly number[];
}

/** Batches that replace all up to an epoch. */
export interface Compaction {
  /** How far the store was when its batches were read. */
  readonly from: Head;
  /** What `encodeNet` gives: the last body has the epoch `from.epoch`. */
  readonly bodies: readonly (readonly Uint8Array[])[];
}

/** A server with the batches of a store, to which several processes write. Everything throws `storage` if the server is away. */
export interface SharedPlace {
  /** Identity of the store. */
  readonly id: string;
  /** Where the store is, for people. */
  readonly path: string;
  head(): Promise<Head>;
  /** Appends batches in one step after those that are there, unless `check` throws at how far the store was. */
  write(group: readonly WaitingBatch[], check: (before: Head) => void): Promise<GroupWritten>;
  /** The batches after an epoch as of now. */
  read(after: number): AsyncIterable<FactBatch>;
  /** Replaces batches in one step; does nothing if another process has compacted since. */
  replace(compaction: Compaction): Promise<void>;
  /** Calls a function with the epoch soon after a process appended; may miss some. The result ends it. */
  listen?(hint: (epoch: number) => void): () => void;
  close(): Promise<void>;
}
