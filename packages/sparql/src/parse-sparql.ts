import type { Vocabulary } from '@fuzzqe/core';
import { readSparql, type SparqlQuery } from './read-sparql.ts';
import { parseSyntax } from './syntax/parse-syntax.ts';

/**
 * Reads a query of SPARQL 1.1 whose answers are ranked.
 *
 * `SELECT ?x ?degree { entity:France relation:borders ?x FILTER NOT EXISTS { ?x relation:currency entity:Euro } }`
 * Ranges: `textLimits`, and the ranges of `checkPattern`.
 *
 * @throws FuzzError `query` or `vocabulary`, with line and column: which part has no degree, and why.
 * @example
 * const { pattern } = parseSparql('SELECT ?x { entity:France relation:borders ?x }', vocabulary);
 */
export function parseSparql(given: string, vocabulary: Vocabulary): SparqlQuery {
  return readSparql(parseSyntax(given), vocabulary);
}
