/** What is said of one query: its embedding, and the best entities with their scores, best first. */
export interface RankedAnswer {
  readonly embedding: ArrayLike<number>;
  readonly ids: ArrayLike<number>;
  readonly scores: ArrayLike<number>;
}
