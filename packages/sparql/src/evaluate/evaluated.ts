import type { Solutions } from '../results/solutions.ts';
import type { Triple } from './triple-source.ts';

/** The triples of CONSTRUCT or DESCRIBE. */
export interface GraphResult {
  readonly triples: readonly Triple[];
}

/** What a query gives: rows of SELECT, the truth of ASK, or triples. */
export type Evaluated = Solutions | boolean | GraphResult;

/** How much a query may give, and until when. */
export interface EvaluateOptions {
  /** The most rows or triples. */
  readonly most: number;
  /** The error about more rows. */
  readonly tooMany: () => Error;
  readonly signal?: AbortSignal;
}
