import type { RdfTerm } from './rdf-term.ts';

/** A triple, and the graph that it is in; without: the default graph. */
export interface Triple {
  readonly subject: RdfTerm;
  readonly predicate: RdfTerm;
  readonly object: RdfTerm;
  readonly graph?: RdfTerm;
}

/** What triples are asked for; a part that is absent may be any term. */
export interface TriplePattern {
  readonly subject?: RdfTerm;
  readonly predicate?: RdfTerm;
  readonly object?: RdfTerm;
  /** Absent: the default graph. */
  readonly graph?: RdfTerm | 'any';
}

/** Where a query reads its triples. */
export interface TripleSource {
  /**
   * The triples of a pattern, in pieces.
   *
   * @throws FuzzError when pieces are read: the query may read no more.
   */
  match(pattern: TriplePattern): AsyncIterable<readonly Triple[]>;
  /** About how many there are; 0 only if there is none. Patterns of few triples are asked first. */
  count(pattern: TriplePattern): number | Promise<number>;
}
