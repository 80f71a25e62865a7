/**
 * (9) The degrees of links: how likely each entity is a tail of (h, r).
 *
 * A recorded tail has its confidence, exactly 1 unless given, a rejected tail 0, and every other entity at most `highestPredicted`.
 */
export interface LinkDegrees {
  /** The links (h, r) of a batch. Shapes: heads and relations [m] → [m, |E|], in an array that the caller may keep and write to. */
  rows(heads: Int32Array, relations: Int32Array): Promise<Float32Array>;
}
