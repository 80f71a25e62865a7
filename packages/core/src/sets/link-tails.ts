/**
 * The tails of links along one relation that stand out, and the degree of every other entity.
 *
 * Shapes: m links, n entities.
 */
export interface BestTails {
  /** [n], each once, in any order: with all recorded, rejected and entailed tails of the links. */
  readonly ids: Int32Array;
  /** (9) of `ids` [m, n], in [0, 1]; the caller's own. */
  readonly degrees: Float32Array;
  /** What stands for (9) of every entity that is not listed [m], in [0, 1). */
  readonly background: Float32Array;
}

/**
 * (9) The degrees of links where few tails matter: an approximation of `LinkDegrees` that reads no row of all entities.
 *
 * The degrees of recorded and of rejected tails are exact. A tail that is not listed would hardly be among the best.
 */
export interface LinkTails {
  /** The best tails of the links (h, r) of some heads. */
  tails(heads: Int32Array, relation: number, wanted: WantedTails): Promise<BestTails>;
}

/** Which tails are wanted. */
export interface WantedTails {
  /** About so many of the best, or more. */
  readonly count: number;
  /** Entities that are listed in any case: other parts of the query have them. */
  readonly also: Int32Array;
}
