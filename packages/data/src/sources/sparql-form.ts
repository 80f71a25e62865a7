import { FuzzError } from '@fuzzqe/core';
import { queryHints, type SourceAddress } from './source-address.ts';

/**
 * Whether a SPARQL query gives a table or a graph, by its first keyword after the prologue.
 *
 * @throws FuzzError `usage`: ASK, an update, or no query. Source: SPARQL 1.1, section 19.8.
 */
export function sparqlForm({ query, place }: SourceAddress): 'rows' | 'graph' {
  // IRIs go first: a # inside one begins no comment.
  const bare = query.replaceAll(/<[^<>"{}|^\x60\\\s]*>/g, ' ').replaceAll(/#.*$/gm, ' ');
  const [, keyword = ''] = /^\s*(?:(?:prefix\s+[^\s:]*:|base)\s*)*([a-z]*)/i.exec(bare) ?? [];
  const name = keyword.toLowerCase();
  if (name === 'select') return 'rows';
  if (name === 'construct' || name === 'describe') return 'graph';
  throw new FuzzError(
    'usage',
    `query: expected SELECT, CONSTRUCT or DESCRIBE, got ${JSON.stringify(keyword.slice(0, 40))}`,
    { path: place, hint: queryHints.sparql },
  );
}
