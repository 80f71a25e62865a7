import type { FuzzError } from '@fuzzqe/core';

/** Why a call has no answer. */
export type RankerRefusal = 'overloaded' | 'deadline' | 'interrupted' | 'failed';

/** What a ranker does now, and how often it did what since it was made. */
export interface RankerCounters {
  /** Rankers that can answer. */
  readonly workers: number;
  /** How often one that had ended was replaced. */
  readonly restarts: number;
  /** Requests that wait for their turn. */
  readonly waiting: number;
  /** How many may. */
  readonly waitingLimit: number;
  /** Requests that are being answered. */
  readonly running: number;
  readonly answered: number;
  readonly batches: number;
  /** Calls without an answer. */
  readonly refused: Readonly<Record<RankerRefusal, number>>;
  /** Of the fuzzy sets of parts of queries that are kept, where they are. */
  readonly cache: CacheCounters;
}

/** How often something was there, and was not. */
export interface CacheCounters {
  readonly hits: number;
  readonly misses: number;
}

/** A batch that was answered, or failed. */
export interface BatchSample {
  readonly size: number;
  readonly computeSeconds: number;
  /** How long each of its requests had waited. */
  readonly queueSeconds: readonly number[];
}

/** Hears what a ranker does when it happens. */
export interface RankerObserver {
  batch(sample: BatchSample): void;
  refused(reason: RankerRefusal): void;
  /** One of its rankers can answer no more. */
  ended?(reason: FuzzError): void;
  /** None could be opened instead of one that ended; that is tried again. */
  replaceFailed?(reason: unknown): void;
}
