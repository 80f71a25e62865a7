/** How much of a graph a round looks at. */
export interface MiningSizes {
  /** Facts of a relation, between whose ends paths are sought. */
  readonly facts: number;
  /** Edges of each end that paths are sought through. */
  readonly edges: number;
  /** Paths that are judged, of each relation. */
  readonly candidates: number;
  /** Heads that a path is judged on. */
  readonly heads: number;
  /** Edges after which a path is judged on no further head. */
  readonly work: number;
  /** Tails of a relation that constants are sought for, those of the most facts. */
  readonly tails: number;
  /** Attributes that are judged, for each tail. */
  readonly attributes: number;
}

/** The sizes of round 0, 1, …; each round does about twice the work of the round before. */
export function miningSizes(round: number): MiningSizes {
  const more = 2 ** (round / 2);
  const times = (size: number): number => Math.round(size * more);
  return {
    facts: times(48),
    edges: Math.round(24 * 2 ** (round / 4)),
    candidates: times(48),
    heads: times(48),
    work: times(2 ** 14),
    tails: times(48),
    attributes: times(6),
  };
}

/** The most path rules of a relation that are kept. */
export const mostPaths = 60;
/** The most constant rules of a relation that are kept. */
export const mostConstants = 500;
/** The fewest hits of a rule. */
export const fewestHits = 2;
