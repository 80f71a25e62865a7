import type { StructureName } from '../query/structures.ts';

/** One query with its answer by the float64 reference. */
export interface GoldenCase {
  readonly structure: StructureName;
  readonly anchors: readonly number[];
  readonly relations: readonly number[];
  /** S_q. */
  readonly embedding: readonly number[];
  /** The best entities, best first, ties to the lower id. */
  readonly ids: readonly number[];
  /** Their scores φ(q, e). */
  readonly scores: readonly number[];
  /**
   * The answer by fuzzy sets of entities, over the facts of the bundle; null where degrees are so close that runtimes may
   * take different members along.
   */
  readonly sets: GoldenSet | null;
}

/** The best of a fuzzy set of entities. */
export interface GoldenSet {
  /** As many as `ids` of the case, best first, ties to the lower id. */
  readonly ids: readonly number[];
  /** Their degrees, in [0, 1]. */
  readonly degrees: readonly number[];
}

/** `golden.json`: what every runtime must answer. */
export interface Golden {
  /** How many entities each case lists. */
  readonly k: number;
  readonly cases: readonly GoldenCase[];
}
