import type { RdfTerm } from '../terms/rdf-term.ts';
import type { Triple } from '../terms/triple-source.ts';

/** What SELECT gives: in every row a value for each variable, or undefined where it has none. */
export interface Solutions {
  readonly variables: readonly string[];
  readonly rows: readonly (readonly (RdfTerm | undefined)[])[];
}

/** The triples of CONSTRUCT or DESCRIBE. */
export interface GraphResult {
  readonly triples: readonly Triple[];
}

/** What a query answers: rows of SELECT, the truth of ASK, or triples. */
export type SparqlResult = Solutions | boolean | GraphResult;
