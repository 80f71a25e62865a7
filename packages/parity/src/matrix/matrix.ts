import type { StructureName } from '@fuzzqe/core/query';
import type { PlanWay } from '@fuzzqe/engine';
import type { CaseKind } from '../cases/parity-case.ts';

/** The largest difference of a kind of number. */
export interface Worst {
  /** max |a − b|. */
  readonly absolute: number;
  /** max |a − b| / max |b|, both over one vector: what a difference is beside the numbers around it. */
  readonly relative: number;
  /** The case, the way and the element of the largest absolute difference; empty where nothing was compared. */
  readonly where: string;
}

/** A case that failed, with what is needed to ask it again. */
export interface ParityFailure {
  readonly kind: CaseKind;
  readonly structure: StructureName | null;
  /** By which graphs it was answered. */
  readonly by: PlanWay;
  /** As `fuzzqe query` reads it. */
  readonly query: string;
  readonly anchors: readonly number[];
  readonly relations: readonly number[];
  readonly message: string;
}

/** How one runtime answers from one profile. */
export interface ParityCell {
  readonly runtime: string;
  readonly profile: string;
  /** The runtime and device as it names itself. */
  readonly on: string;
  readonly passed: boolean;
  /** Comparisons: each case in each way. */
  readonly compared: number;
  readonly embedding: Worst;
  readonly score: Worst;
  /** Rankings with the same entities in the same order outside ties, of `compared`. */
  readonly sameRanking: number;
  /** Beside `fp32`, for another profile: means over the fresh queries. Null for `fp32` and where the bundle has none. */
  readonly beside: { readonly overlap10: number; readonly rbo: number } | null;
  readonly failures: readonly ParityFailure[];
  /** What the failures have in common; empty where nothing failed. */
  readonly diagnosis: readonly string[];
  readonly seconds: number;
}

/** A runtime that was not compared. */
export interface SkippedRuntime {
  readonly runtime: string;
  readonly reason: string;
}

/** Everything that `fuzzqe parity` found. */
export interface ParityMatrix {
  readonly bundle: string;
  readonly model: string;
  readonly passed: boolean;
  readonly cells: readonly ParityCell[];
  readonly skipped: readonly SkippedRuntime[];
}
