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
}

/** `golden.json`: what every runtime must answer. */
export interface Golden {
  /** How many entities each case lists. */
  readonly k: number;
  readonly cases: readonly GoldenCase[];
}
