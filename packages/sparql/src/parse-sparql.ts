import type { Vocabulary } from '@fuzzqe/core';
import { readSparql, type SparqlQuery } from './read-sparql.ts';
import { parseSyntax } from './syntax/parse-syntax.ts';

/**
 * Reads a query of SPARQL 1.1 whose patterns make a tree with one answer variable.
 *
 * `SELECT ?x ?degree { entity:France relation:borders ?x FILTER NOT EXISTS { ?x relation:currency entity:Euro } }`
 * Ranges: `textLimits`; at most 64 levels and 1024 nodes of the tree.
 *
 * @throws FuzzError `query` or `vocabulary`, with line and column: which part cannot be answered, and why.
 * @example
 * const { query } = parseSparql('SELECT ?x { entity:France relation:borders ?x }', vocabulary);
 */
export function parseSparql(given: string, vocabulary: Vocabulary): SparqlQuery {
  return readSparql(parseSyntax(given), vocabulary);
}
