import type { StructureName } from '@fuzzqe/core';

/**
 * Scores every entity as an answer to each of a batch of queries of one structure.
 *
 * Shapes: anchors [rows × anchors of the structure], relations [rows × relations], the result [rows × entities].
 */
export type QueryScorer = (
  structure: StructureName,
  anchors: Int32Array,
  relations: Int32Array,
  rows: number,
) => Promise<Float32Array>;
