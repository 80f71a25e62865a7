/**
 * The tails of a link that stand out, and the degree of every other entity.
 *
 * Shapes: `ids` and `degrees` [n]. Arrays may be shared among links and are not to be written to.
 */
export interface BestTails {
  /** Each once, in any order; with the recorded and the rejected tails of the link. */
  readonly ids: Int32Array;
  /** (9) of `ids`, in [0, 1]. */
  readonly degrees: Float32Array;
  /** What stands for (9) of every entity that is not listed, in [0, 1). */
  readonly background: number;
}

/**
 * (9) The degrees of links where few tails matter: an approximation of `LinkDegrees` that reads no row of all entities.
 *
 * The degrees of recorded and of rejected tails are exact. A tail that is not listed would hardly be among the best.
 */
export interface LinkTails {
  /** About the `count` best tails of each link (h, r) of a batch, or more. Shapes: heads and relations [m] → m. */
  tails(heads: Int32Array, relations: Int32Array, count: number): Promise<BestTails[]>;
}
