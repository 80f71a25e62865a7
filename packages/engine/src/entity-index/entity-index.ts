import type { CallLimits } from '../ranker/call-limits.ts';
import type { IndexState } from '../ranker/ranker.ts';

/** What an index can do. */
export interface IndexCapabilities {
  /** Whether it finds the best rows for certain, or most of them. */
  readonly exact: boolean;
  /** The most rows that one search may ask for. */
  readonly maxTopK: number;
  /** What it ranks by: Σ xᵢ·pᵢ. */
  readonly metric: 'innerProduct';
}

/** Asks for the rows with the highest inner products with an embedding. */
export interface IndexSearch {
  /** Shape: [d]. */
  readonly embedding: Float32Array;
  /** In [1, maxTopK]. */
  readonly k: number;
  /** The entities that may be found, distinct and ascending. Default: all. */
  readonly allowed?: Int32Array | undefined;
  /** The entities that may not, distinct and ascending. Default: none. */
  readonly excluded?: Int32Array | undefined;
  /** Whether most of the best rows are enough, because other candidates stand next to them. Default false. */
  readonly rough?: true | undefined;
}

/** What a search found. Shapes: n = k entities, fewer only where no more may be found. */
export interface IndexHits {
  /** [n], distinct, best first. */
  readonly ids: Int32Array;
  /** [n], as exact as the index keeps its rows. */
  readonly scores: Float32Array;
}

/** Finds rows of entities by their inner product with an embedding, here or in a database: the row of entity i has the id i. */
export interface EntityIndex {
  /** What and where it is, for people: without anything that lets someone in. */
  readonly name: string;
  readonly capabilities: IndexCapabilities;
  /** |E| */
  readonly rows: number;
  /** d */
  readonly dimension: number;
  /** Searches are refused in any other state than `ready`, or fail. */
  readonly state: IndexState;
  /**
   * What some searches find, in their order.
   *
   * @throws FuzzError `range`: a k or an embedding that does not fit. `runtime`: it cannot be reached, is of another bundle
   * by now, or closed.
   * `interrupted`: the signal. `deadline`: it passed.
   */
  search(searches: readonly IndexSearch[], limits?: CallLimits): Promise<IndexHits[]>;
  /** Refuses new searches and frees what it holds. */
  close(): Promise<void>;
}
