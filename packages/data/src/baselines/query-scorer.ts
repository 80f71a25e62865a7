import type { QueryStructure } from '../queries/query-structure.ts';

/**
 * Scores every entity as an answer to each of a batch of queries of one structure.
 *
 * Shapes: anchors [rows × anchors of the structure], relations [rows × relations], the result [rows × entities]. The
 * result may be the scorer's own: it holds until the next call.
 */
export type QueryScorer = (
  structure: QueryStructure,
  anchors: Int32Array,
  relations: Int32Array,
  rows: number,
) => Promise<Float32Array>;
