import type { StructureName } from '@fuzzqe/core/query';
import type { AnswerMode } from '@fuzzqe/engine';
import type { CaseKind } from '../cases/parity-case.ts';
import type { AskedBy } from './ways.ts';

/** The largest difference of a kind of number. */
export interface LargestDifference {
  /** max |a − b|. */
  readonly absolute: number;
  /**
   * max |a − b| / max |b|, both over one vector: a difference compared with the numbers around it. Of degrees, which lie
   * in [0, 1], the same as `absolute`.
   */
  readonly relative: number;
  /** max |a − b| / (absolute + relative·|b|): the share of the tolerance that is used. Range: [0, 1] where all pass. */
  readonly share: number;
  /** The case, how it was asked and the element of the largest absolute difference; empty where nothing was compared. */
  readonly where: string;
}

/** Something that failed, with what is needed to ask it again. */
export interface ParityFailure {
  /** `batch`: queries that were asked together were refused. */
  readonly kind: CaseKind | 'batch';
  readonly structure: StructureName | null;
  /** How it was asked. */
  readonly by: AskedBy;
  /** As `fuzzqe query` reads it; empty where it is not one query. */
  readonly query: string;
  readonly anchors: readonly number[];
  readonly relations: readonly number[];
  readonly message: string;
}

/** How one runtime answers in one mode. */
export interface ModeTally {
  /** Comparisons: each case in each way of the mode. */
  readonly compared: number;
  /** Rankings with the same entities in the same order outside ties, of `compared`. */
  readonly sameRanking: number;
  /** Next to `fp32`, for another profile: means over the fresh queries. Null for `fp32` and where the bundle has none. */
  readonly beside: { readonly overlap10: number; readonly rbo: number } | null;
}

/** How one runtime answers from one profile. */
export interface ParityCell {
  readonly runtime: string;
  readonly profile: string;
  /** The runtime and device as it names itself. */
  readonly on: string;
  /** Something was compared in both modes, and nothing failed. */
  readonly passed: boolean;
  /** Comparisons in both modes. */
  readonly compared: number;
  readonly modes: Readonly<Record<AnswerMode, ModeTally>>;
  readonly embedding: LargestDifference;
  readonly score: LargestDifference;
  readonly degree: LargestDifference;
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

/** Queries of which no fuzzy set was compared. */
export interface UndecidedSets {
  readonly profile: string;
  /** Of which members tie so nearly that two runtimes may choose others. */
  readonly count: number;
  /** All that were asked: golden cases and drawn ones. */
  readonly queries: number;
}

/** Everything that `runParity` found. */
export interface ParityMatrix {
  readonly bundle: string;
  readonly model: string;
  /** Each profile was compared on a runtime, and no comparison failed. */
  readonly passed: boolean;
  readonly profiles: readonly string[];
  readonly cells: readonly ParityCell[];
  /**
   * Golden cases next to the weights of the bundle, in float64, a profile each: whether the two belong together.
   *
   * It is no runtime and has no part in the verdict: where they do, it differs by nothing, whatever the runtimes do.
   */
  readonly reference: readonly ParityCell[];
  readonly skipped: readonly SkippedRuntime[];
  /** Of each profile; they are asked in the other mode. */
  readonly undecided: readonly UndecidedSets[];
}
