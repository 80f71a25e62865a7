import type { BundleSource, GraphEntry, Profile } from '@fuzzqe/bundle';
import type { DerivedGraph } from './rank-all.ts';

/** Numbers as they cross into and out of a runtime: float32 or int32, row by row. */
export interface TensorValue {
  readonly dims: readonly number[];
  readonly data: Float32Array | Int32Array;
}

/** Tensors by the names of a graph's inputs or outputs. */
export type TensorValues = Readonly<Record<string, TensorValue>>;

/**
 * One opened graph.
 *
 * Calls may overlap; a runtime that can only do one thing at a time puts them in a row itself. Values returned
 * belong to the caller. A run that fails leaves the session usable.
 */
export interface Session {
  /** @throws FuzzError `runtime`: the runtime refuses, or the session is closed. */
  run(feeds: TensorValues): Promise<TensorValues>;
  /** Frees what the graph holds, once the runs under way are done; closing again does nothing. */
  close(): Promise<void>;
}

/** How a graph is opened. */
export interface OpenHow {
  /** Whether little memory counts for more than fast runs: weights are then not copied. Default false. */
  readonly compact?: boolean;
}

/** A runtime that opens graphs of one bundle. */
export interface SessionFactory {
  /** The runtime and the device in use, for people: `onnxruntime-node cpu`. */
  readonly runtime: string;
  /**
   * Opens a graph, with its files out of `source`, which compares them with the bundle's manifest where that is wanted:
   * the bytes that are read are those that run. A runtime that opens files by their path calls `source.verify` first.
   *
   * @throws FuzzError `bundle`: a file is missing or damaged. `runtime`: the runtime refuses the graph.
   */
  open(graph: GraphEntry, source: BundleSource, how?: OpenHow): Promise<Session>;
  /**
   * The same for a graph that was made of one of the bundle's; left out by runtimes that open files only. It is asked for at every run
   * until it is open or refused for good, so that a runtime that lacks memory says so without an attempt each time.
   */
  openDerived?(graph: DerivedGraph, source: BundleSource): Promise<Session>;
  /**
   * Makes the graph that `openDerived` opens: `rankAllOf` of `@fuzzqe/engine/derived`. Runtimes that open files leave out both, so that
   * browsers load no encoder.
   */
  derive?(source: BundleSource, profile: Profile): Promise<DerivedGraph | undefined>;
}
