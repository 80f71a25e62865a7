import type { RankedAnswer } from '@fuzzqe/core/bundle';
import type { Query } from '@fuzzqe/core/query';
import type { Engine } from '@fuzzqe/engine';
import type { RankChoice } from '../hosts/protocol.ts';

/** Whether a runtime is present here. */
export type Availability = { readonly present: true } | { readonly present: false; readonly reason: string };

/** The bundle that is compared. */
export interface ParityTarget {
  readonly directory: string;
  readonly profile: string;
}

/** Something that answers queries, in both modes. */
export interface Answerer {
  /** The runtime and device in use, for people. */
  readonly runtime: string;
  rank(queries: readonly Query[], options: RankChoice): Promise<readonly RankedAnswer[]>;
  /** The fuzzy set of each query: the degree of every entity [|E|]. */
  degrees(queries: readonly Query[]): Promise<readonly Float32Array[]>;
  close(): Promise<void>;
}

/** An engine as an answerer. */
export function engineAnswerer(engine: Engine): Answerer {
  return {
    get runtime() {
      return engine.runtime;
    },
    rank: (queries, options) => engine.rank(queries, options),
    degrees: (queries) => engine.degrees(queries),
    close: () => engine.close(),
  };
}

/** A runtime that answers can be compared on. */
export interface ParityRuntime {
  /** What it is, in a few words. */
  readonly description: string;
  available(target: ParityTarget): Promise<Availability>;
  /** @throws FuzzError: as `openEngine`, and `runtime` where the runtime does not start. */
  open(target: ParityTarget): Promise<Answerer>;
}

/** A runtime that is not there. */
export function absent(reason: string): Availability {
  return { present: false, reason };
}

/** The first line of what went wrong. */
export function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0]!;
}
