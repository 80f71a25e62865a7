import type { Query, Update } from '@traqula/rules-sparql-1-1';

/** What a text may be by the grammar of SPARQL 1.1. */
export interface TextUnits {
  readonly query: Query;
  readonly update: Update;
}

/** A text by the grammar of SPARQL 1.1: plain data, which messages between threads carry. */
export interface ParsedText<Unit extends keyof TextUnits = 'query'> {
  readonly query: TextUnits[Unit];
  /** The text that places of the query refer to: without escapes of code points. */
  readonly text: string;
}

/** Where a part of the syntax begins in the text. */
export function placeOf({ loc }: Pick<Query, 'loc'>): number {
  return 'start' in loc ? loc.start : 0;
}
