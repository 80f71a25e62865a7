/** How a question is asked. */
export interface AskSettings {
  /** By fuzzy sets of entities, with degrees, or by the embedding of the query, with scores. */
  readonly mode: 'sets' | 'embedding';
  /** How many answers, in [1, 1000]. */
  readonly k: number;
  /** `known` leaves out what is recorded. */
  readonly exclude: 'none' | 'known';
  /** The lowest degree of an answer, in [0, 1]; of mode sets. */
  readonly minDegree?: number;
}

/** How questions are asked unless anything else is wanted. */
export const usualSettings: AskSettings = { mode: 'sets', k: 10, exclude: 'none' };
