import type { Query } from '@traqula/rules-sparql-1-1';

/** A query by the grammar of SPARQL 1.1: plain data, which messages between threads carry. */
export interface ParsedText {
  readonly query: Query;
  /** The text that places of the query refer to: without escapes of code points. */
  readonly text: string;
}

/** Where a part of the syntax begins in the text. */
export function placeOf({ loc }: Pick<Query, 'loc'>): number {
  return 'start' in loc ? loc.start : 0;
}
